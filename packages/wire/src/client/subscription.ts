import { errorCodes, MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import type { ChangedKind, SubscribeReply, SubscriptionKind } from "../transports/frames.js";
import { toRetryPauseMs } from "./backoff.js";
import { callListener } from "./call-listener.js";
import type { Answer } from "./requests.js";
import {
  advanceSubscription,
  createSubscriptionState,
  findPosition,
  type Position,
  resyncError,
  type SubscriptionEffect,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

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
  readonly epoch?: string | undefined;
}

interface SubscriptionDefinition {
  readonly kind: SubscriptionKind;
  readonly options: FollowOptions | InboxOptions;
  readonly after: number | undefined;
  readonly epoch: string | undefined;
}

const retryMsDefault = 1_000;

/**
 * A subscription that persists across connections. Feeds its state with what happens, and carries out the effects.
 */
export class LiveSubscription implements Subscription {
  readonly kind: SubscriptionKind;
  readonly ready: Promise<void>;
  readonly #options: FollowOptions | InboxOptions;
  readonly #requests: SubscriptionRequests;
  #settleReady: { resolve: () => void; reject: (error: MerkleError) => void } | undefined;
  #state: SubscriptionState;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor({ kind, options, after, epoch }: SubscriptionDefinition, requests: SubscriptionRequests) {
    this.kind = kind;
    this.#options = options;
    this.#requests = requests;
    this.#state = createSubscriptionState(kind, { after, epoch });
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined); // Callers that do not await it are notified through `onError`.
  }

  get state(): SubscriptionState {
    return this.#state;
  }

  get cursor(): number {
    return findPosition(this.#state)?.cursor ?? 0;
  }

  get epoch(): string | undefined {
    return findPosition(this.#state)?.epoch;
  }

  /** Id of the session while messages are being received, otherwise undefined. */
  get sessionId(): string | undefined {
    return this.#state.is === "live" ? this.#state.sessionId : undefined;
  }

  advance(event: SubscriptionEvent): void {
    const { state, effects } = advanceSubscription(this.#state, event);
    this.#state = state;
    if (state.is !== "postponed") clearTimeout(this.#retryTimer);
    for (const effect of effects) this.#perform(effect);
  }

  receiveChange(change: SubscriptionChange): void {
    if (this.#state.is === "live") callListener(() => this.#listeners.onChanged?.(change));
  }

  close(): void {
    this.advance({ type: "closed" });
  }

  fail(error: MerkleError): void {
    this.advance({ type: "failed", error });
  }

  get #listeners(): SubscriptionListeners {
    return this.#options;
  }

  #perform(effect: SubscriptionEffect): void {
    switch (effect.do) {
      case "subscribe":
        return this.#subscribe(effect.start);
      case "unsubscribe":
        return this.#requests.unsubscribe();
      case "retry":
        this.#retryTimer = setTimeout(() => this.advance({ type: "retryDue" }), effect.pauseMs);
        return;
      case "report ready":
        return this.#settleReady?.resolve();
      case "deliver":
        return callListener(() => this.#listeners.onMessage(effect.message));
      case "ask":
        return this.#askWhereToContinue(effect.epoch);
      case "report closed":
        return this.#end(new MerkleError("unavailable", "The subscription was closed before it was ready."));
      case "report failure":
        this.#end(effect.error);
        return callListener(() => this.#listeners.onError?.(effect.error));
    }
  }

  #subscribe(start: Position | null): void {
    const { teamId } = this.#options;
    const fields: SubscribeFields = {
      ...(teamId !== undefined && { team_id: teamId }),
      ...(start && { after: start.cursor, epoch: start.epoch }),
    };
    this.#requests.subscribe(fields, (answer) => this.#handleAnswer(answer));
  }

  #handleAnswer(answer: Answer): void {
    if ("error" in answer) return this.#handleRefusal(answer.error);
    // The frame definitions guarantee that the reply to `subscribe` has this output.
    const { session_id: sessionId, after, epoch } = answer.output as SubscribeReply;
    if (this.#requests.isTaken(sessionId)) this.fail(alreadySubscribed(this.kind, sessionId));
    else this.advance({ type: "confirmed", sessionId, after, epoch });
  }

  #handleRefusal(error: MerkleError): void {
    const { epoch } = error.details;
    if (error.code === "resync" && typeof epoch === "string") this.advance({ type: "outdated", epoch });
    else if (errorCodes[error.code].retry) {
      this.advance({ type: "postponed", pauseMs: toRetryPauseMs(error) ?? retryMsDefault });
    } else this.fail(error);
  }

  #askWhereToContinue(epoch: string): void {
    const { onResync } = this.#listeners;
    if (!onResync) return this.fail(resyncError(epoch));
    try {
      const after = onResync.call(this.#listeners, { epoch }) ?? 0;
      if (!isSequence(after)) throw notASequence(after);
      this.advance({ type: "continued", after, epoch });
    } catch (cause) {
      const text = "The resync listener did not return a cursor to continue from.";
      this.fail(new MerkleError("resync", text, {}, { cause }));
    }
  }

  #end(error: MerkleError): void {
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
