import type { Admitted, InputOf, Message, OperationName, OutputOf, StateChangeFrame } from "@merkle/wire";
import type { ConnectionState } from "@merkle/wire/client";
import { MerkleError } from "@merkle/wire/errors";
import { rulesOf } from "@merkle/wire/plain";
import type { Broker, FollowOptions, MeshChange, SessionChange } from "./broker";
import { Listeners } from "./listeners";
import type { HubMessage, PageMessage, Port } from "./port";

export interface PageBrokerOptions {
  /** The credential of the person who uses this page, when there is one. */
  readonly credential: () => string | undefined;
  /** The broker does not know the person whose credential went along. */
  readonly onUnknownPerson: (credential: string) => void;
  /** The hub began anew, perhaps as somebody else: what was read before may be another's. */
  readonly onAnew: () => void;
}

interface PendingCall {
  readonly name: OperationName;
  readonly input: object;
  /** The credential that was added here. */
  readonly credential: string | undefined;
  wasSent: boolean;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface FollowedFeed {
  readonly session: string;
  cursor: number | null;
  readonly options: Pick<FollowOptions, "onMessages" | "onChanged" | "onResync" | "onError">;
}

interface WatchedSession {
  readonly listeners: Listeners<SessionChange>;
  stop(): void;
}

/** A page's side of the port to the hub. What it is asked before the port is there goes out once it is. */
export class PageBroker implements Broker {
  readonly #options: PageBrokerOptions;
  readonly #calls = new Map<number, PendingCall>();
  readonly #feeds = new Map<number, FollowedFeed>();
  readonly #watched = new Map<string, WatchedSession>();
  readonly #meshListeners = new Listeners<MeshChange>();
  readonly #stateListeners = new Listeners<ConnectionState>();
  readonly #pushListeners = new Listeners<StateChangeFrame>();
  readonly #broughtListeners = new Listeners<readonly Message[]>();
  #port: Port<PageMessage> | undefined;
  #wasAttached = false;
  #state: ConnectionState = { status: "connecting" };
  #admitted: Admitted | null = null;
  #lastId = 0;

  constructor(options: PageBrokerOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get admitted(): Admitted | null {
    return this.#admitted;
  }

  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<OutputOf<Name>> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = this.#nextId();
      const cancel = () => {
        this.#calls.delete(id);
        this.#send({ type: "cancel", id });
        reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener("abort", cancel);
      signal?.addEventListener("abort", cancel);
      const call: PendingCall = {
        name,
        ...this.#withCredential(name, input),
        wasSent: false,
        // The hub passes on what the broker answered to this operation.
        resolve: (output) => {
          settled();
          resolve(output as OutputOf<Name>);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.#calls.set(id, call);
      this.#sendCall(id, call);
    });
  }

  follow({ sessionId, after, ...options }: FollowOptions): () => void {
    return this.#follow({ session: sessionId, cursor: after, options });
  }

  onMeshChanged(listener: (change: MeshChange) => void): () => void {
    return this.#meshListeners.add(listener);
  }

  onSessionChanged(sessionId: string, listener: (change: SessionChange) => void): () => void {
    const watched = this.#watched.get(sessionId) ?? this.#watch(sessionId);
    const remove = watched.listeners.add(listener);
    return () => {
      remove();
      if (watched.listeners.size > 0 || this.#watched.get(sessionId) !== watched) return;
      this.#watched.delete(sessionId);
      watched.stop();
    };
  }

  onStateChange(listener: (change: StateChangeFrame) => void): () => void {
    return this.#pushListeners.add(listener);
  }

  onMessagesBrought(listener: (messages: readonly Message[]) => void): () => void {
    return this.#broughtListeners.add(listener);
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#stateListeners.add(listener);
  }

  retryNow(): void {
    this.#send({ type: "retry" });
  }

  /** Takes up a port to a hub, in place of an earlier one, and asks for everything that is still wanted. */
  attach(port: Port<PageMessage>): void {
    const isReturn = this.#wasAttached;
    this.#wasAttached = true;
    this.#port = port;
    for (const [id, call] of [...this.#calls]) {
      // An earlier hub may have done it: only who asked can say whether it may be done twice.
      if (call.wasSent) this.#fail(id, lostOnTheWay(call.name));
      else this.#sendCall(id, call);
    }
    this.#askAgain(isReturn);
  }

  #askAgain(isReturn: boolean): void {
    this.personChanged();
    for (const [id, feed] of this.#feeds) this.#sendFollow(id, feed);
    // Before the first port nothing was read, so nothing can have changed since.
    if (!isReturn) return;
    this.#meshListeners.tell({ kind: "all", sessionId: null });
    for (const { listeners } of this.#watched.values()) listeners.tell({ kind: "all" });
  }

  /** Leaves the hub, which keeps nothing for this page from now on. */
  detach(): void {
    this.#send({ type: "bye" });
    this.#port?.close();
    this.#port = undefined;
  }

  /** Tells the hub who uses this page. */
  personChanged(): void {
    this.#send({ type: "person", credential: this.#options.credential() });
  }

  sayAlive(): void {
    this.#send({ type: "alive" });
  }

  receive(message: HubMessage): void {
    switch (message.type) {
      case "state":
        this.#state = message.state;
        if (message.state.status === "open") this.#admitted = message.state.admitted ?? null;
        this.#stateListeners.tell(message.state);
        return;
      case "output":
        this.#take(message.id)?.resolve(message.output);
        return;
      case "error":
        this.#fail(message.id, toError(message.error));
        return;
      case "messages":
        this.#receiveMessages(message);
        return;
      case "changed":
        this.#feeds.get(message.id)?.options.onChanged?.(message.change);
        return;
      case "resync":
        this.#endFeed(message.id)?.onResync?.();
        return;
      case "ended":
        this.#endFeed(message.id)?.onError?.(toError(message.error));
        return;
      case "mesh":
        this.#meshListeners.tell({ kind: message.kind, sessionId: message.session_id });
        return;
      case "push":
        this.#pushListeners.tell(message.push);
        return;
      case "forgotten":
        if (this.#port) this.attach(this.#port);
        return;
      case "anew":
        this.#options.onAnew();
        this.#askAgain(true);
        return;
    }
  }

  #receiveMessages({ id, messages }: Extract<HubMessage, { type: "messages" }>): void {
    const feed = this.#feeds.get(id);
    const last = messages.at(-1);
    if (!feed || !last) return;
    feed.cursor = last.sequence;
    this.#broughtListeners.tell(messages);
    feed.options.onMessages(messages);
  }

  #watch(sessionId: string): WatchedSession {
    const listeners = new Listeners<SessionChange>();
    const onChanged = (change: SessionChange) => listeners.tell(change);
    // Without messages there is no cursor that a restore could make wrong.
    const stop = this.#follow({
      session: sessionId,
      cursor: null,
      options: { onMessages: () => undefined, onChanged },
    });
    const watched: WatchedSession = { listeners, stop };
    this.#watched.set(sessionId, watched);
    return watched;
  }

  #follow(feed: FollowedFeed): () => void {
    const id = this.#nextId();
    this.#feeds.set(id, feed);
    this.#sendFollow(id, feed);
    return () => {
      if (this.#feeds.delete(id)) this.#send({ type: "unfollow", id });
    };
  }

  #sendCall(id: number, call: PendingCall): void {
    call.wasSent = this.#port !== undefined;
    this.#send({ type: "call", id, name: call.name, input: call.input });
  }

  #sendFollow(id: number, { session, cursor }: FollowedFeed): void {
    this.#send({ type: "follow", id, session, after: cursor, credential: this.#options.credential() });
  }

  #endFeed(id: number): FollowedFeed["options"] | undefined {
    const feed = this.#feeds.get(id);
    this.#feeds.delete(id);
    return feed?.options;
  }

  #take(id: number): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #fail(id: number, error: MerkleError): void {
    const call = this.#take(id);
    if (call?.credential !== undefined && error.code === "unauthorized") {
      this.#options.onUnknownPerson(call.credential);
    }
    call?.reject(error);
  }

  #withCredential(name: OperationName, input: object): Pick<PendingCall, "input" | "credential"> {
    const credential = this.#options.credential();
    const isGiven = "team_id" in input && input.team_id !== undefined;
    if (credential === undefined || isGiven || rulesOf(name).withoutCredential)
      return { input, credential: undefined };
    return { input: { ...input, team_id: credential }, credential };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #send(message: PageMessage): void {
    this.#port?.postMessage(message);
  }
}

function toError(error: Extract<HubMessage, { type: "error" }>["error"]): MerkleError {
  return new MerkleError(error.code, error.message, error.details);
}

function lostOnTheWay(name: OperationName): MerkleError {
  return new MerkleError("unavailable", `The connection was lost before ${name} was answered.`, {
    outcome: "unknown",
  });
}
