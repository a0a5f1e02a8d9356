import { errorCodes, MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import type { ChangedKind, Subscribed, SubscriptionKind } from "../transports/frames.js";
import { retryPauseMs } from "./backoff.js";
import { callListener } from "./call-listener.js";
import type { Answer } from "./requests.js";

/** A hint that a read of the document, roster or session would now differ. */
export interface Changed {
  readonly kind: ChangedKind;
  readonly version: number;
}

/** The broker's database is another than before: it was restored, and its numbers mean something else. */
export interface Resynced {
  readonly epoch: string;
}

export interface SubscriptionListeners {
  /** Called once for each message, in the feed's order. The cursor has passed the message when it is called. */
  onMessage(message: Message): void;
  /** Hints are not kept for a client that is away: after a reconnect, read again. */
  onChanged?(change: Changed): void;
  /**
   * Called when the cursor has lost its meaning. A follow goes on after the sequence that is returned, from the
   * beginning when none is; an inbox goes on where the restored broker has it acknowledged. Without this listener the
   * subscription ends with the error `resync`, since going on as if nothing had happened would be wrong.
   */
  onResync?(resynced: Resynced): number | undefined;
  /** Called when the subscription has ended for good, other than by `close()`. */
  onError?(error: MerkleError): void;
}

export interface FollowOptions extends SubscriptionListeners {
  /** The session's id or slug. */
  readonly session: string;
  /** The credential of a team, where the broker lets only those read who have one. */
  readonly teamId?: string;
  /** Start after this message; left out, the broker says where, which `cursor` shows once it is ready. */
  readonly after?: number;
  /** The epoch in which `after` was true, when it was kept from an earlier run. */
  readonly epoch?: string;
}

export interface InboxOptions extends SubscriptionListeners {
  /** The session's id or slug. */
  readonly session: string;
  /** The credential of the team whose mail it is. */
  readonly teamId: string;
}

export interface Subscription {
  /** The sequence of the last message handed over, or where the subscription starts; 0 until that is known. */
  readonly cursor: number;
  /** The epoch that the cursor belongs to; undefined until it is known. */
  readonly epoch: string | undefined;
  /** Resolves when the broker first confirmed it; rejects when it ended before. Need not be awaited. */
  readonly ready: Promise<void>;
  /** Ends it; no listener is called any more. May be called twice. */
  close(): void;
}

/** The holder of a subscription, as the subscription needs it. */
export interface SubscriptionRequests {
  subscribe(frame: SubscribeFields, answered: (answer: Answer) => void): void;
  unsubscribe(): void;
  /** Whether another subscription of the same kind already has the session, under whatever name. */
  isTaken(sessionId: string): boolean;
  ended(): void;
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

type Phase =
  | { readonly is: "detached" }
  | { readonly is: "subscribing" }
  | { readonly is: "live"; readonly sessionId: string }
  | { readonly is: "ended" };

/** Holes or resyncs one after another, without anything better in between, that are no accident any more. */
const failuresInARowMax = 3;
const retryMsDefault = 1_000;

/** One subscription over all connections: it hands over what comes after its cursor, once and in order (CLIENT-3). */
export class LiveSubscription implements Subscription {
  readonly ready: Promise<void>;
  readonly #definition: SubscriptionDefinition;
  readonly #requests: SubscriptionRequests;
  #settleReady: { resolve: () => void; reject: (error: MerkleError) => void } | undefined;
  #phase: Phase = { is: "detached" };
  #cursor: number | undefined;
  /** The epoch that the cursor belongs to; the broker's, as long as there is no cursor. */
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
    this.ready.catch(() => undefined); // Whoever does not await it is told by `onError`.
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

  /** The session's id while messages are coming in, undefined otherwise. */
  get sessionId(): string | undefined {
    return this.#phase.is === "live" ? this.#phase.sessionId : undefined;
  }

  /** A connection is up, to a broker with this epoch. */
  attach(epoch: string): void {
    if (this.#phase.is === "ended") return;
    if (this.#cursor === undefined) this.#epoch = epoch;
    this.#epoch ??= epoch;
    if (this.#epoch === epoch || this.#resync(epoch)) this.#subscribe();
  }

  /** The connection is gone; what it had not brought comes over the next. */
  detach(): void {
    clearTimeout(this.#retryTimer);
    if (this.#phase.is !== "ended") this.#phase = { is: "detached" };
  }

  receive(message: Message): void {
    const { sequence } = message;
    if (this.#phase.is !== "live" || sequence <= this.cursor) return;
    if (this.kind === "follow" && sequence !== this.cursor + 1) this.#fillHole(sequence);
    else this.#handOver(message);
  }

  receiveChange(change: Changed): void {
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
    this.#requests.subscribe({ ...team, ...this.#start() }, (answer) => this.#answered(answer));
  }

  /** Where the broker begins: after the cursor for a follow, where it knows best for everything else. */
  #start(): SubscribeFields {
    if (this.kind === "inbox" || this.#cursor === undefined || this.#epoch === undefined) return {};
    return { after: this.#cursor, epoch: this.#epoch };
  }

  #answered(answer: Answer): void {
    if (this.#phase.is !== "subscribing") return;
    // The output of a subscribe frame, as the frames say.
    if ("output" in answer) this.#subscribed(answer.output as Subscribed);
    else this.#refused(answer.error);
  }

  #subscribed(subscribed: Subscribed): void {
    const { session_id: sessionId, epoch } = subscribed;
    if (this.#requests.isTaken(sessionId)) this.fail(alreadySubscribed(this.kind, sessionId));
    else if (epoch !== this.#epoch && this.#cursor !== undefined) this.#restart(epoch);
    else this.#goLive(subscribed);
  }

  #goLive({ session_id, after, epoch }: Subscribed): void {
    this.#phase = { is: "live", sessionId: session_id };
    this.#cursor ??= after;
    this.#epoch = epoch;
    this.#resyncsInARow = 0;
    this.#settleReady?.resolve();
  }

  #refused(error: MerkleError): void {
    const epoch = error.details["epoch"];
    if (error.code === "resync") {
      if (this.#resync(typeof epoch === "string" ? epoch : undefined)) this.#subscribe();
    } else if (errorCodes[error.code].retry) {
      this.#retryTimer = setTimeout(() => this.#subscribe(), retryPauseMs(error) ?? retryMsDefault);
    } else {
      this.fail(error);
    }
  }

  /** The broker's epoch changed under a standing connection. */
  #restart(epoch: string): void {
    this.#requests.unsubscribe();
    if (this.#resync(epoch)) this.#subscribe();
  }

  /** Gives up the cursor and takes another; returns false when the subscription ended instead. */
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

  #handOver(message: Message): void {
    this.#holesInARow = 0;
    this.#cursor = message.sequence;
    callListener(() => this.#listeners.onMessage(message));
  }

  /** Asks for everything after the cursor again. What still comes meanwhile is not listened to. */
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
    this.#requests.ended();
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
