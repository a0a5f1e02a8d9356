import { MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import type { SubscriptionKind } from "../transports/frames.js";

/**
 * The state of one subscription and its position in the feed. An event that does not concern a state leaves the state
 * as it is.
 *
 * | State         | Meaning                                              | Promise                                                        |
 * | ------------- | ---------------------------------------------------- | -------------------------------------------------------------- |
 * | `detached`    | There is no connection.                              | The next connection continues after the cursor (CLIENT-3).     |
 * | `subscribing` | A `subscribe` request was sent, without a reply yet. | Nothing is delivered: what arrives is for an earlier request.  |
 * | `postponed`   | The broker asked to subscribe later.                 | The request is repeated while the connection lasts.            |
 * | `resyncing`   | The feed has a new epoch. The listener is asked      | Nothing is delivered, so that epochs are not mixed (CLIENT-4). |
 * |               | where to continue in it.                             |                                                                |
 * | `live`        | The broker sends messages, old ones first.           | Each is delivered once, in order; a follow has no gap          |
 * |               |                                                      | (CLIENT-3).                                                    |
 * | `ended`       | The subscription was closed or has failed.           | No listener is called again.                                   |
 *
 * | Position | Meaning                                       | Moved by                             | Promise                                                |
 * | -------- | --------------------------------------------- | ------------------------------------ | ------------------------------------------------------ |
 * | `cursor` | Covers the messages that the listener has     | `received`; `continued` of a follow; | A message that it covers is not delivered again        |
 * |          | received.                                     | `confirmed`, if there is no cursor   | (CLIENT-3). A resync drops it.                         |
 * | `epoch`  | The history that the cursor belongs to. A     | `attached`, `confirmed`, `continued` | The cursor is not used in another history (CLIENT-4).  |
 * |          | restore starts a new one.                     |                                      |                                                        |
 *
 * The client keeps this cursor because the broker forgets a follow when its connection ends, and resumes an inbox after
 * the last acknowledged message: it sends again what was delivered but not yet acknowledged.
 */
export type SubscriptionState =
  | Pending
  | {
      readonly is: "resyncing";
      readonly kind: SubscriptionKind;
      /** The broker's current epoch. */
      readonly epoch: string;
      readonly isConnected: boolean;
      readonly failures: FailureCounts;
    }
  | {
      readonly is: "live";
      readonly kind: SubscriptionKind;
      readonly sessionId: string;
      readonly position: Position;
      readonly failures: FailureCounts;
    }
  | { readonly is: "ended"; readonly position: Position | null };

interface Pending {
  readonly is: "detached" | "subscribing" | "postponed";
  readonly kind: SubscriptionKind;
  /** Null if the broker chooses where to start. */
  readonly position: Position | null;
  readonly failures: FailureCounts;
}

type Live = Extract<SubscriptionState, { is: "live" }>;
type Resyncing = Extract<SubscriptionState, { is: "resyncing" }>;
type Running = Exclude<SubscriptionState, { is: "ended" }>;

export interface Position {
  readonly cursor: number;
  /** Undefined until the first connection, to whose epoch the cursor then belongs. */
  readonly epoch: string | undefined;
}

/** Counts failures in a row, to end the subscription if the broker keeps skipping messages or changing its epoch. */
interface FailureCounts {
  /** Gaps since the last delivered message. */
  readonly gaps: number;
  /** Resyncs since the subscription was last live. */
  readonly resyncs: number;
}

export type SubscriptionEvent =
  /** A connection is open, to a broker with this epoch. */
  | { readonly type: "attached"; readonly epoch: string }
  /** The connection is lost, and so are the requests without a reply. */
  | { readonly type: "detached" }
  /** The broker confirmed the request. It sends the messages after `after`. A cursor of the client's takes precedence. */
  | {
      readonly type: "confirmed";
      readonly sessionId: string;
      readonly after: number;
      readonly epoch: string;
    }
  /** The broker cannot confirm the request at the moment. */
  | { readonly type: "postponed"; readonly pauseMs: number }
  | { readonly type: "retryDue" }
  /** The broker refused the request, because its cursor belongs to another epoch. */
  | { readonly type: "outdated"; readonly epoch: string }
  /** The listener returned the sequence after which a follow continues in this epoch. */
  | { readonly type: "continued"; readonly after: number; readonly epoch: string }
  | { readonly type: "received"; readonly message: Message }
  | { readonly type: "closed" }
  | { readonly type: "failed"; readonly error: MerkleError };

export type SubscriptionEffect =
  /** Sends a request. Without `start`, the broker chooses where to start. */
  | { readonly do: "subscribe"; readonly start: Position | null }
  | { readonly do: "unsubscribe" }
  /** Feeds `retryDue` after a pause, unless another state is reached before. */
  | { readonly do: "retry"; readonly pauseMs: number }
  | { readonly do: "report ready" }
  | { readonly do: "deliver"; readonly message: Message }
  /** Asks the listener where to continue in this epoch. */
  | { readonly do: "ask"; readonly epoch: string }
  | { readonly do: "report closed" }
  | { readonly do: "report failure"; readonly error: MerkleError };

export interface SubscriptionStep {
  readonly state: SubscriptionState;
  /** To be carried out in this order. Only the last one may call a listener, which may cause the next event. */
  readonly effects: readonly SubscriptionEffect[];
}

/** How many gaps, or resyncs, in a row are tolerated. The next one ends the subscription. */
const failuresInARowMax = 3;

export function createSubscriptionState(
  kind: SubscriptionKind,
  { after, epoch }: { readonly after?: number | undefined; readonly epoch?: string | undefined },
): SubscriptionState {
  const position = after === undefined ? null : { cursor: after, epoch };
  return { is: "detached", kind, position, failures: { gaps: 0, resyncs: 0 } };
}

/** Returns the state after an event, and the effects that the caller must carry out. */
export function advanceSubscription(state: SubscriptionState, event: SubscriptionEvent): SubscriptionStep {
  if (state.is === "ended") return toStep(state);
  switch (event.type) {
    case "attached":
      return attach(state, event.epoch);
    case "detached":
      return toStep(detach(state));
    case "confirmed":
      return state.is === "subscribing" ? confirm(state, event) : toStep(state);
    case "postponed":
      if (state.is !== "subscribing") return toStep(state);
      return toStep({ ...state, is: "postponed" }, { do: "retry", pauseMs: event.pauseMs });
    case "retryDue":
      return state.is === "postponed" ? subscribe(state) : toStep(state);
    case "outdated":
      return state.is === "subscribing" ? resync(state, event.epoch) : toStep(state);
    case "continued":
      // The answer for an earlier epoch comes too late.
      if (state.is !== "resyncing" || state.epoch !== event.epoch) return toStep(state);
      return continueAfter(state, event.after);
    case "received":
      return state.is === "live" ? receive(state, event.message) : toStep(state);
    case "closed": {
      const isKnownToBroker = state.is === "subscribing" || state.is === "live";
      return end(state, ...(isKnownToBroker ? [unsubscribe] : []), { do: "report closed" });
    }
    case "failed":
      return end(state, { do: "report failure", error: event.error });
  }
}

/** Returns the position. Null before the broker has chosen one, and from a resync until its answer. */
export function findPosition(state: SubscriptionState): Position | null {
  return state.is === "resyncing" ? null : state.position;
}

const unsubscribe: SubscriptionEffect = { do: "unsubscribe" };

function toStep(state: SubscriptionState, ...effects: SubscriptionEffect[]): SubscriptionStep {
  return { state, effects };
}

function attach(state: Running, epoch: string): SubscriptionStep {
  if (state.is === "resyncing" && !state.isConnected) {
    // The listener has been asked about this epoch already.
    return state.epoch === epoch ? toStep({ ...state, isConnected: true }) : resync(state, epoch);
  }
  if (state.is !== "detached") return toStep(state);
  const position = state.position && { ...state.position, epoch: state.position.epoch ?? epoch };
  return position && position.epoch !== epoch ? resync(state, epoch) : subscribe({ ...state, position });
}

function detach(state: Running): SubscriptionState {
  if (state.is === "resyncing") return { ...state, isConnected: false };
  const { kind, position, failures } = state;
  return { is: "detached", kind, position, failures };
}

function subscribe({ kind, position, failures }: Omit<Pending, "is">): SubscriptionStep {
  // The broker knows where an inbox continues.
  const start = kind === "follow" ? position : null;
  return toStep({ is: "subscribing", kind, position, failures }, { do: "subscribe", start });
}

function confirm(
  state: Pending,
  { sessionId, after, epoch }: Extract<SubscriptionEvent, { type: "confirmed" }>,
): SubscriptionStep {
  const { kind, position, failures } = state;
  // The broker's database was restored while the connection was open.
  if (position && position.epoch !== epoch) return resync(state, epoch, unsubscribe);
  const start = { cursor: position?.cursor ?? after, epoch };
  return toStep(
    { is: "live", kind, sessionId, position: start, failures: { ...failures, resyncs: 0 } },
    { do: "report ready" },
  );
}

function receive(state: Live, message: Message): SubscriptionStep {
  const { cursor, epoch } = state.position;
  const { sequence } = message;
  if (sequence <= cursor) return toStep(state);
  // An inbox skips the messages that are not for its peer.
  if (state.kind === "follow" && sequence !== cursor + 1) return closeGap(state, sequence);
  const position = { cursor: sequence, epoch };
  return toStep({ ...state, position, failures: { ...state.failures, gaps: 0 } }, { do: "deliver", message });
}

/** Requests everything after the cursor again. */
function closeGap({ kind, position, failures }: Live, sequence: number): SubscriptionStep {
  const gaps = failures.gaps + 1;
  if (gaps > failuresInARowMax) {
    const error = gapError(position.cursor, sequence);
    return toStep({ is: "ended", position }, unsubscribe, { do: "report failure", error });
  }
  const { state, effects } = subscribe({ kind, position, failures: { ...failures, gaps } });
  return toStep(state, unsubscribe, ...effects);
}

/** Drops the cursor, because it belongs to another epoch. */
function resync(
  state: Exclude<Running, { is: "live" }>,
  epoch: string,
  ...effects: SubscriptionEffect[]
): SubscriptionStep {
  const { kind, failures } = state;
  const resyncs = failures.resyncs + 1;
  if (resyncs > failuresInARowMax) {
    return end(state, ...effects, { do: "report failure", error: resyncError(epoch) });
  }
  return toStep(
    { is: "resyncing", kind, epoch, isConnected: true, failures: { ...failures, resyncs } },
    ...effects,
    { do: "ask", epoch },
  );
}

function continueAfter({ kind, epoch, isConnected, failures }: Resyncing, after: number): SubscriptionStep {
  // The number is not used for an inbox: the broker continues after what is acknowledged in the restored database.
  const position = kind === "follow" ? { cursor: after, epoch } : null;
  const next = { kind, position, failures };
  return isConnected ? subscribe(next) : toStep({ is: "detached", ...next });
}

function end(state: Running, ...effects: SubscriptionEffect[]): SubscriptionStep {
  return toStep({ is: "ended", position: findPosition(state) }, ...effects);
}

export function resyncError(epoch: string): MerkleError {
  return new MerkleError(
    "resync",
    "The broker's database was restored: the cursor of this subscription is no longer valid.",
    { epoch },
  );
}

function gapError(cursor: number, sequence: number): MerkleError {
  return new MerkleError(
    "internal",
    `Expected the message after ${cursor}, but the broker keeps sending message ${sequence}.`,
    { cursor, sequence },
  );
}
