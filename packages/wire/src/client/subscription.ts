import { errorCodes, MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import type { ChangedKind, SubscribeReply, SubscriptionKind } from "../transports/frames.js";
import { toRetryPauseMs } from "./backoff.js";
import { callListener } from "./call-listener.js";
import type { Answer } from "./requests.js";

/** A hint that reading the document, the roster or the session again would return something new. */
export interface SubscriptionChange {
  readonly kind: ChangedKind;
  readonly version: number;
}

/** Reports that the broker's database was restored, which makes earlier sequences invalid. */
export interface Resync {
  readonly epoch: string;
}

export interface SubscriptionListeners {
  /**
   * Called once for each message, in feed order. When it is called, `cursor` already includes the message.
   */
  onMessage(message: Message): void;
  /**
   * Called with a hint. The broker keeps no hints for a disconnected client, so after a reconnect everything
   * must be read again.
   */
  onChanged?(change: SubscriptionChange): void;
  /**
   * Called when the cursor is invalid. A `follow` then continues after the sequence that this returns, or
   * from the beginning if it returns nothing. An inbox continues at the cursor acknowledged in the restored
   * database. Without this listener, the subscription ends with the error `resync`, because it must not
   * continue unnoticed.
   */
  onResync?(resynced: Resync): number | undefined;
  /** Called when the subscription has ended permanently, but not after `close()`. */
  onError?(error: MerkleError): void;
}

export interface FollowOptions extends SubscriptionListeners {
  /** Id or slug of the session. */
  readonly session: string;
  /** Credential of a team. Needed only if the broker requires one for reading. */
  readonly teamId?: string;
  /**
   * Sequence of the message after which to start. If omitted, the broker chooses where to start, and `cursor`
   * contains that position once the subscription is ready.
   */
  readonly after?: number;
  /** Epoch in which `after` was saved, if that was in an earlier run. */
  readonly epoch?: string;
}

export interface InboxOptions extends SubscriptionListeners {
  /** Id or slug of the session. */
  readonly session: string;
  /** Credential of the team that owns this inbox. */
  readonly teamId: string;
}

export interface Subscription {
  /**
   * Sequence of the last delivered message or, before the first one, the position where the subscription
   * started. 0 while it is unknown.
   */
  readonly cursor: number;
  /** Epoch that the cursor belongs to. Undefined while it is unknown. */
  readonly epoch: string | undefined;
  /**
   * Resolves when the broker first confirms the subscription. Rejects if the subscription ends first. Need
   * not be awaited.
   */
  readonly ready: Promise<void>;
  /** Ends the subscription, after which no listener is called. May be called more than once. */
  close(): void;
}

/** The functions that a subscription calls on its owner. */
export interface SubscriptionRequests {
  subscribe(frame: SubscribeFields, onAnswered: (answer: Answer) => void): void;
  unsubscribe(): void;
  /**
   * Returns true if another subscription of the same kind already covers the session, no matter whether by id
   * or slug.
   */
  isTaken(sessionId: string): boolean;
  onEnded(): void;
}

export interface SubscribeFields {
  readonly team_id?: string;
  readonly after?: number;
  readonly epoch?: string;
}

interface SubscriptionDefinition {
  readonly kind: SubscriptionKind;
  readonly options: FollowOptions | InboxOptions;
  readonly after: number | undefined;
  readonly epoch: string | undefined;
}

type SubscriptionPhase =
  | { readonly is: "detached" }
  | { readonly is: "subscribing" }
  | { readonly is: "live"; readonly sessionId: string }
  | { readonly is: "ended" };

/** Maximum number of consecutive gaps or resyncs. If there are more, something is wrong. */
const failuresInARowMax = 3;
const retryMsDefault = 1_000;

/**
 * A subscription that persists across connections. Delivers messages after its cursor, once and in order
 * (CLIENT-3).
 */
export class LiveSubscription implements Subscription {
  readonly ready: Promise<void>;
  readonly #definition: SubscriptionDefinition;
  readonly #requests: SubscriptionRequests;
  #settleReady: { resolve: () => void; reject: (error: MerkleError) => void } | undefined;
  #phase: SubscriptionPhase = { is: "detached" };
  #cursor: number | undefined;
  /** Epoch of the cursor. While there is no cursor, the broker's epoch. */
  #epoch: string | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #holesInARow = 0;
  #resyncsInARow = 0;

  constructor(definition: SubscriptionDefinition, requests: SubscriptionRequests) {
    this.#definition = definition;
    this.#requests = requests;
    this.#cursor = definition.after;
    this.#epoch = definition.epoch;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined); // Callers that do not await it are notified through `onError`.
  }

  get cursor(): number {
    return this.#cursor ?? 0;
  }

  get epoch(): string | undefined {
    return this.#epoch;
  }

  get kind(): SubscriptionKind {
    return this.#definition.kind;
  }

  /** Id of the session while messages are being received, otherwise undefined. */
  get sessionId(): string | undefined {
    return this.#phase.is === "live" ? this.#phase.sessionId : undefined;
  }

  /** Called with the broker's epoch when a connection opens. */
  attach(epoch: string): void {
    if (this.#phase.is === "ended") return;
    if (this.#cursor === undefined) this.#epoch = epoch;
    this.#epoch ??= epoch;
    if (this.#epoch === epoch || this.#resync(epoch)) this.#subscribe();
  }

  /** Called when the connection is lost. Messages posted in the meantime arrive over the next connection. */
  detach(): void {
    clearTimeout(this.#retryTimer);
    if (this.#phase.is !== "ended") this.#phase = { is: "detached" };
  }

  receive(message: Message): void {
    const { sequence } = message;
    if (this.#phase.is !== "live" || sequence <= this.cursor) return;
    if (this.kind === "follow" && sequence !== this.cursor + 1) this.#fillHole(sequence);
    else this.#deliver(message);
  }

  receiveChange(change: SubscriptionChange): void {
    if (this.#phase.is === "live") callListener(() => this.#listeners.onChanged?.(change));
  }

  close(): void {
    if (this.#phase.is === "ended") return;
    if (this.#phase.is !== "detached") this.#requests.unsubscribe();
    this.#end(new MerkleError("unavailable", "The subscription was closed before it was ready."));
  }

  fail(error: MerkleError): void {
    if (this.#phase.is === "ended") return;
    this.#end(error);
    callListener(() => this.#listeners.onError?.(error));
  }

  get #listeners(): SubscriptionListeners {
    return this.#definition.options;
  }

  #subscribe(): void {
    this.#phase = { is: "subscribing" };
    const { teamId } = this.#definition.options;
    const team = teamId === undefined ? {} : { team_id: teamId };
    this.#requests.subscribe({ ...team, ...this.#toStartFields() }, (answer) => this.#handleAnswer(answer));
  }

  /** Returns where to start. A `follow` starts after its cursor. Otherwise the broker decides. */
  #toStartFields(): SubscribeFields {
    if (this.kind === "inbox" || this.#cursor === undefined || this.#epoch === undefined) return {};
    return { after: this.#cursor, epoch: this.#epoch };
  }

  #handleAnswer(answer: Answer): void {
    if (this.#phase.is !== "subscribing") return;
    // The frame definitions guarantee that the reply to `subscribe` has this output.
    if ("output" in answer) this.#handleSubscribed(answer.output as SubscribeReply);
    else this.#handleRefusal(answer.error);
  }

  #handleSubscribed(subscribed: SubscribeReply): void {
    const { session_id: sessionId, epoch } = subscribed;
    if (this.#requests.isTaken(sessionId)) this.fail(alreadySubscribed(this.kind, sessionId));
    else if (epoch !== this.#epoch && this.#cursor !== undefined) this.#restart(epoch);
    else this.#goLive(subscribed);
  }

  #goLive({ session_id, after, epoch }: SubscribeReply): void {
    this.#phase = { is: "live", sessionId: session_id };
    this.#cursor ??= after;
    this.#epoch = epoch;
    this.#resyncsInARow = 0;
    this.#settleReady?.resolve();
  }

  #handleRefusal(error: MerkleError): void {
    const epoch = error.details["epoch"];
    if (error.code === "resync") {
      if (this.#resync(typeof epoch === "string" ? epoch : undefined)) this.#subscribe();
    } else if (errorCodes[error.code].retry) {
      this.#retryTimer = setTimeout(() => this.#subscribe(), toRetryPauseMs(error) ?? retryMsDefault);
    } else {
      this.fail(error);
    }
  }

  /** Starts again because the broker's epoch has changed while the connection was open. */
  #restart(epoch: string): void {
    this.#requests.unsubscribe();
    if (this.#resync(epoch)) this.#subscribe();
  }

  /**
   * Drops the cursor and asks the listener for a new one. Returns false if the subscription has ended
   * instead.
   */
  #resync(epoch: string | undefined): boolean {
    this.#resyncsInARow += 1;
    const { onResync } = this.#listeners;
    if (!onResync || this.#resyncsInARow > failuresInARowMax) {
      this.fail(resyncError(epoch));
      return false;
    }
    this.#epoch = epoch ?? this.#epoch;
    this.#cursor = undefined;
    return this.#takeCursor(() => onResync.call(this.#listeners, { epoch: this.#epoch ?? "" }));
  }

  #takeCursor(from: () => number | undefined): boolean {
    try {
      const after = from() ?? 0;
      if (!isSequence(after)) throw notASequence(after);
      if (this.kind === "follow") this.#cursor = after;
    } catch (cause) {
      this.fail(
        new MerkleError(
          "resync",
          "The resync listener did not return a cursor to continue from.",
          {},
          { cause },
        ),
      );
    }
    return this.#phase.is !== "ended";
  }

  #deliver(message: Message): void {
    this.#holesInARow = 0;
    this.#cursor = message.sequence;
    callListener(() => this.#listeners.onMessage(message));
  }

  /**
   * Requests everything after the cursor again, to fill a gap. Messages that arrive before the reply are
   * ignored.
   */
  #fillHole(sequence: number): void {
    this.#holesInARow += 1;
    this.#requests.unsubscribe();
    if (this.#holesInARow <= failuresInARowMax) this.#subscribe();
    else this.fail(holeError(this.cursor, sequence));
  }

  #end(error: MerkleError): void {
    clearTimeout(this.#retryTimer);
    this.#phase = { is: "ended" };
    this.#settleReady?.reject(error);
    this.#requests.onEnded();
  }
}

export function isSequence(after: number): boolean {
  return Number.isSafeInteger(after) && after >= 0;
}

export function notASequence(after: number): MerkleError {
  return new MerkleError("bad_request", `Expected a message's sequence number, or 0, got ${after}.`);
}

export function alreadySubscribed(kind: SubscriptionKind, session: string): MerkleError {
  return new MerkleError(
    "conflict",
    `This client already has a subscription of kind ${kind} to session ${session}. Close that subscription first, or share it.`,
    { kind, session_id: session },
  );
}

function resyncError(epoch: string | undefined): MerkleError {
  return new MerkleError(
    "resync",
    "The broker's database was restored: the cursor of this subscription is no longer valid.",
    epoch === undefined ? {} : { epoch },
  );
}

function holeError(cursor: number, sequence: number): MerkleError {
  return new MerkleError(
    "internal",
    `Expected the message after ${cursor}, but the broker keeps sending message ${sequence}.`,
    {
      cursor,
      sequence,
    },
  );
}
