import { MerkleError } from "../core/errors.js";
import type { BrokerFrame, SubscriptionKind } from "../transports/frames.js";
import type { Answer, Requests } from "./requests.js";
import {
  alreadySubscribed,
  type FollowOptions,
  type InboxOptions,
  isSequence,
  LiveSubscription,
  notASequence,
  type SubscribeFields,
  type Subscription,
  type SubscriptionRequests,
} from "./subscription.js";

type SubscriptionPush = Extract<BrokerFrame, { type: "message" | "changed" }>;

const sessionRefCharsMax = 100;

/**
 * A client's subscriptions. There is at most one of each kind per session, because the broker cannot
 * distinguish several.
 */
export class Subscriptions {
  readonly #requests: Requests;
  readonly #byKey = new Map<string, LiveSubscription>();
  #epoch: string | undefined;
  #end: MerkleError | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  follow(options: FollowOptions): Subscription {
    return this.#add("follow", options, options.after, options.epoch);
  }

  inbox(options: InboxOptions): Subscription {
    return this.#add("inbox", options, undefined, undefined);
  }

  attach(epoch: string): void {
    this.#epoch = epoch;
    for (const subscription of [...this.#byKey.values()]) subscription.advance({ type: "attached", epoch });
  }

  detach(): void {
    this.#epoch = undefined;
    for (const subscription of this.#byKey.values()) subscription.advance({ type: "detached" });
  }

  receive(push: SubscriptionPush): void {
    for (const subscription of this.#byKey.values()) {
      if (subscription.sessionId !== push.session_id) continue;
      if (push.type === "changed") subscription.receiveChange({ kind: push.kind, version: push.version });
      else if (push.kind === subscription.kind)
        subscription.advance({ type: "received", message: push.message });
    }
  }

  /** Closes all subscriptions. New subscriptions then end immediately with the given error. */
  close(error: MerkleError): void {
    this.#end = error;
    for (const subscription of [...this.#byKey.values()]) subscription.close();
  }

  /** Ends all current and future subscriptions with the given error. */
  fail(error: MerkleError): void {
    this.#end = error;
    for (const subscription of [...this.#byKey.values()]) subscription.fail(error);
  }

  #add(
    kind: SubscriptionKind,
    options: FollowOptions | InboxOptions,
    after: number | undefined,
    epoch: string | undefined,
  ): Subscription {
    const key = `${kind} ${options.session}`;
    const subscription: LiveSubscription = new LiveSubscription(
      { kind, options, after, epoch },
      this.#createRequests(key, kind, options.session, () => subscription),
    );
    const refusal = this.#end ?? this.#findRefusal(kind, options.session, after);
    if (refusal) {
      // Fails asynchronously, as if the broker had refused, because a listener may want to use the
      // subscription that is about to be returned.
      queueMicrotask(() => subscription.fail(refusal));
      return subscription;
    }
    this.#byKey.set(key, subscription);
    if (this.#epoch !== undefined) subscription.advance({ type: "attached", epoch: this.#epoch });
    return subscription;
  }

  /**
   * Returns an error for input that would make a malformed frame, for which the broker would close the
   * connection.
   */
  #findRefusal(kind: SubscriptionKind, session: string, after = 0): MerkleError | undefined {
    if (session.length === 0 || session.length > sessionRefCharsMax) {
      return new MerkleError(
        "bad_request",
        `Expected a session's id or slug, got ${JSON.stringify(session)}.`,
      );
    }
    if (!isSequence(after)) return notASequence(after);
    return this.#byKey.has(`${kind} ${session}`) ? alreadySubscribed(kind, session) : undefined;
  }

  #createRequests(
    key: string,
    kind: SubscriptionKind,
    session: string,
    self: () => LiveSubscription,
  ): SubscriptionRequests {
    const send = (
      type: "subscribe" | "unsubscribe",
      fields: SubscribeFields,
      onAnswered: (answer: Answer) => void,
    ) => {
      const id = this.#requests.nextId();
      const text = JSON.stringify({ type, id, kind, session_id: session, ...fields });
      this.#requests.addControl({ id, subject: key, text, onAnswered });
    };
    return {
      subscribe: (fields, onAnswered) => send("subscribe", fields, onAnswered),
      unsubscribe: () => send("unsubscribe", {}, () => undefined),
      isTaken: (sessionId) =>
        [...this.#byKey.values()].some(
          (other) => other !== self() && other.kind === kind && other.sessionId === sessionId,
        ),
      onEnded: () => {
        if (this.#byKey.get(key) === self()) this.#byKey.delete(key);
      },
    };
  }
}
