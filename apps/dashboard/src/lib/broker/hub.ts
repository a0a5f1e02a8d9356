import type { MerkleClient } from "@merkle/wire/client";
import { MerkleError } from "@merkle/wire/errors";
import { Feeds, type Reader } from "./feeds";
import { isStranger } from "./is-stranger";
import { watchMeshFor } from "./mesh-watch";
import { type HubMessage, type PageMessage, type Port, silentMsMax } from "./port";

/** A page gives up on the broker after this long; the connection itself goes on being tried. */
const callTimeoutMs = 20_000;

/**
 * Holds the one connection of a browser, and serves any number of pages over ports: their calls, the feeds that they
 * follow and hints of changes. A page that says nothing for long is taken for dead; what was kept for it is dropped.
 */
export class Hub {
  readonly #openClient: () => MerkleClient;
  readonly #pages = new Set<ServedPage>();
  #connected: Connected;

  constructor(openClient: () => MerkleClient) {
    this.#openClient = openClient;
    this.#connected = this.#connect();
  }

  /** Begins anew as whoever the browser is signed in as by now; all pages ask again for what they show. */
  startAnew(): void {
    const { client } = this.#connected;
    this.#connected = this.#connect();
    void client.close();
    this.#tellAll({ type: "state", state: this.#connected.client.state });
    for (const page of this.#pages) page.moveTo(this.#connected);
  }

  close(): void {
    void this.#connected.client.close();
  }

  /** Serves a page over a port; returns what is to be done with each message that comes from it. */
  attach(port: Port<HubMessage>): (message: PageMessage) => void {
    // Who opens a page may have been let in meanwhile.
    if (isStranger(this.#connected.client.state)) this.startAnew();
    let page = this.#serve(port);
    return (message) => {
      if (message.type === "bye") return this.#drop(page);
      if (page.isGone) {
        // It was taken for dead and is not: what it says belongs to what was dropped, so it begins anew.
        page = this.#serve(port);
        page.tell({ type: "forgotten" });
        return;
      }
      page.heard(() => this.#drop(page));
      if (message.type === "person") this.#connected.mesh.setCredential(message.credential);
      else if (message.type === "retry") this.#connected.client.retryNow();
      else page.receive(message);
    };
  }

  #serve(port: Port<HubMessage>): ServedPage {
    const page = new ServedPage(this.#connected, port);
    this.#pages.add(page);
    page.tell({ type: "state", state: this.#connected.client.state });
    return page;
  }

  #drop(page: ServedPage): void {
    page.end();
    this.#pages.delete(page);
  }

  #connect(): Connected {
    const client = this.#openClient();
    const feeds = new Feeds(client);
    const tellAll = (message: HubMessage): void => {
      // One that was given up may have something left to say.
      if (this.#connected.client === client) this.#tellAll(message);
    };
    const mesh = watchMeshFor(client, (kind, session_id) => tellAll({ type: "mesh", kind, session_id }));
    let wasOpen = false;
    client.onState((state) => {
      tellAll({ type: "state", state });
      if (state.status !== "open") return;
      // Hints are not kept for who is away, so after each return everything may read differently.
      if (wasOpen) {
        tellAll({ type: "mesh", kind: "all", session_id: null });
        feeds.hintAll();
      }
      wasOpen = true;
    });
    client.onPush((push) => {
      if (push.type === "state_change") tellAll({ type: "push", push });
    });
    return { client, feeds, mesh };
  }

  #tellAll(message: HubMessage): void {
    for (const page of this.#pages) page.tell(message);
  }
}

/** One connection, and what is asked for over it. */
interface Connected {
  readonly client: MerkleClient;
  readonly feeds: Feeds;
  readonly mesh: { setCredential(credential: string | undefined): void };
}

type CallRequest = Extract<PageMessage, { type: "call" }>;
type PageRequest = Extract<PageMessage, { type: "call" | "cancel" | "follow" | "unfollow" | "alive" }>;

/** One page, as the hub knows it: the calls and readers that it has. */
class ServedPage {
  readonly #port: Port<HubMessage>;
  readonly #calls = new Map<number, AbortController>();
  readonly #readers = new Map<number, () => void>();
  /** Calls that wait until somebody is signed in. */
  readonly #held = new Map<number, CallRequest>();
  #connected: Pick<Connected, "client" | "feeds">;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #isGone = false;

  constructor(connected: Pick<Connected, "client" | "feeds">, port: Port<HubMessage>) {
    this.#connected = connected;
    this.#port = port;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  tell(message: HubMessage): void {
    this.#port.postMessage(message);
  }

  heard(onSilence: () => void): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(onSilence, silentMsMax);
  }

  receive(message: PageRequest): void {
    switch (message.type) {
      case "call":
        void this.#call(message);
        return;
      case "cancel":
        this.#calls.get(message.id)?.abort();
        this.#held.delete(message.id);
        return;
      case "follow":
        this.#follow(message);
        return;
      case "unfollow":
        this.#readers.get(message.id)?.();
        this.#readers.delete(message.id);
        return;
      case "alive":
        return;
    }
  }

  /** Goes on over another connection. The page itself knows how far it has read what it follows. */
  moveTo(connected: Pick<Connected, "client" | "feeds">): void {
    this.#stopReading();
    this.#connected = connected;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const call of held) void this.#call(call);
    this.tell({ type: "anew" });
  }

  end(): void {
    this.#isGone = true;
    clearTimeout(this.#silence);
    for (const call of this.#calls.values()) call.abort();
    this.#held.clear();
    this.#stopReading();
  }

  #stopReading(): void {
    for (const stop of this.#readers.values()) stop();
    this.#readers.clear();
  }

  /** Whether nobody is signed in, or not any more. */
  get #isShut(): boolean {
    return isStranger(this.#connected.client.state);
  }

  async #call(request: CallRequest): Promise<void> {
    const { id, name, input } = request;
    const { client } = this.#connected;
    const cancelled = new AbortController();
    this.#calls.set(id, cancelled);
    try {
      // The page's own types made sure that the input belongs to the operation.
      const output = await client.call(name, input as never, {
        signal: cancelled.signal,
        timeoutMs: callTimeoutMs,
      });
      this.tell({ type: "output", id, output });
    } catch (error) {
      if (cancelled.signal.aborted) return;
      const hasMoved = client !== this.#connected.client;
      if (!hasMoved && !this.#isShut) this.tell({ type: "error", id, error: toBody(error) });
      else if (isInDoubt(error)) this.tell({ type: "error", id, error: toBody(cutOff(error)) });
      else if (hasMoved) void this.#call(request);
      else this.#held.set(id, request);
    } finally {
      if (this.#calls.get(id) === cancelled) this.#calls.delete(id);
    }
  }

  #follow({ id, session, after, credential }: Extract<PageRequest, { type: "follow" }>): void {
    const reader: Reader = {
      after,
      onMessages: (messages) => this.tell({ type: "messages", id, messages }),
      onChanged: (change) => this.tell({ type: "changed", id, change }),
      onResync: () => this.tell({ type: "resync", id }),
      onError: (error) => {
        if (!this.#isShut) this.tell({ type: "ended", id, error: error.toBody().error });
      },
    };
    this.#readers.set(id, this.#connected.feeds.read(session, credential, reader));
  }
}

/** Whether a change may have been made although it was not answered: then only who asked can say whether to ask again. */
function isInDoubt(error: unknown): error is MerkleError {
  return error instanceof MerkleError && error.details["outcome"] === "unknown";
}

/** It is not the caller whom the broker does not know, but the browser. */
function cutOff({ message, details }: MerkleError): MerkleError {
  return new MerkleError("unavailable", message, details);
}

function toBody(error: unknown) {
  const known =
    error instanceof MerkleError ? error : new MerkleError("internal", `The page failed: ${String(error)}`);
  return known.toBody().error;
}
