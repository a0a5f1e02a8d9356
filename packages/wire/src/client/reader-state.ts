/**
 * The state of one reader of a feed that several readers share, and its cursors. An event that does not concern a state
 * leaves the state as it is.
 *
 * | State       | Meaning                                               | Promise                                                          |
 * | ----------- | ----------------------------------------------------- | ---------------------------------------------------------------- |
 * | `hinted`    | The reader gets hints only.                           | It needs no cursor, and a restore does not concern it.           |
 * | `reading`   | The reader takes messages. Its listener may be busy.  | The listener gets each message once, in order (CLIENT-3).        |
 * | `full`      | The listener is busy with, or before, a full buffer.  | Messages after `buffered` are requested again afterwards.        |
 * | `resyncing` | The feed has a new epoch. The listener is asked where | Nothing is taken or delivered until it answers (CLIENT-4).       |
 * |             | to continue in it.                                    |                                                                  |
 * | `ended`     | The reader was closed or has failed.                  | No listener is called again.                                     |
 *
 * | Cursor      | Covers                                  | Moved by                            | Promise                                           |
 * | ----------- | --------------------------------------- | ----------------------------------- | ------------------------------------------------- |
 * | `delivered` | the messages that were passed to the    | `flushed`, `handled`, `continued`   | A new reader that starts here misses nothing: the |
 * |             | listener                                |                                     | buffer is dropped when the reader ends.           |
 * | `buffered`  | `delivered` and the messages in the     | `received`, `continued`             | A message that it covers is not taken again, even |
 * |             | buffer                                  |                                     | if another reader makes the shared subscription   |
 * |             |                                         |                                     | start earlier (CLIENT-3).                         |
 *
 * A reader keeps its own cursors because the shared subscription has only one, which follows the slowest reader.
 */
export type ReaderState =
  | { readonly is: "hinted" }
  | Reading
  | { readonly is: "full"; readonly delivered: number; readonly buffered: number }
  | {
      readonly is: "resyncing";
      readonly delivered: number;
      /** The epoch for which the listener is asked. */
      readonly epoch: string;
      readonly isBusy: boolean;
      /** Resyncs since the last delivered message, including this one. */
      readonly resyncs: number;
    }
  | { readonly is: "ended"; readonly delivered: number | null };

interface Reading {
  readonly is: "reading";
  readonly delivered: number;
  readonly buffered: number;
  /** Whether the listener is still working on messages. */
  readonly isBusy: boolean;
  /** Characters buffered since the listener was last called. Not counted while it is idle. */
  readonly waitingChars: number;
  /** Resyncs since the last delivered message. */
  readonly resyncs: number;
}

export type ReaderEvent =
  | { readonly type: "received"; readonly sequence: number; readonly chars: number }
  /** All messages of one batch have been fed as `received`. */
  | { readonly type: "flushed" }
  /** The listener has finished its work on the delivered messages. */
  | { readonly type: "handled" }
  /** The database was restored, which makes the cursors invalid. */
  | { readonly type: "restored"; readonly epoch: string }
  /** The listener returned the sequence after which the feed continues in this epoch. */
  | { readonly type: "continued"; readonly after: number; readonly epoch: string }
  | { readonly type: "ended" };

/** The effect that the caller must carry out. */
export type ReaderEffect =
  /** Puts the received message into the buffer. */
  | "buffer"
  /** Passes the whole buffer to the listener. */
  | "deliver"
  /** Drops the buffer and asks the listener where to continue. */
  | "ask"
  /** Drops the buffer and ends the reader with an error. */
  | "fail"
  /** Finds or opens a shared subscription that starts at {@link findStart} or earlier. */
  | "subscribe";

export interface ReaderStep {
  readonly state: ReaderState;
  readonly effect: ReaderEffect | null;
}

/**
 * Maximum size of a slow reader's buffer. Messages that do not fit must be read from the broker again, so a small
 * buffer would be costly.
 */
const waitingCharsMax = 2 * 1024 * 1024;
const resyncsInARowMax = 3;

/** Creates the state of a reader of the messages after a sequence, or of hints if it is null. */
export function createReaderState(after: number | null): ReaderState {
  return after === null ? { is: "hinted" } : startAfter(after);
}

/** Returns the state after an event, and the effect that the caller must carry out. */
export function advanceReader(state: ReaderState, event: ReaderEvent): ReaderStep {
  if (state.is === "ended") return toStep(state);
  switch (event.type) {
    case "received":
      return state.is === "reading" ? receive(state, event) : toStep(state);
    case "flushed":
      return state.is === "reading" && !state.isBusy ? deliver(state) : toStep(state);
    case "handled":
      return finish(state);
    case "restored":
      return state.is === "hinted" ? toStep(state) : resync(state, event.epoch);
    case "continued":
      // The answer for an earlier epoch comes too late.
      if (state.is !== "resyncing" || state.epoch !== event.epoch) return toStep(state);
      return toStep(
        { ...startAfter(event.after), isBusy: state.isBusy, resyncs: state.resyncs },
        "subscribe",
      );
    case "ended":
      return toStep({ is: "ended", delivered: findDelivered(state) });
  }
}

/** Returns the sequence of the last delivered message or, before the first one, the start. Null for hints. */
export function findDelivered(state: ReaderState): number | null {
  return state.is === "hinted" ? null : state.delivered;
}

/** The sequence after which a subscription starts, or `anywhere` if its readers get hints only. */
export type FeedStart = number | "anywhere";

/**
 * Returns where a subscription must start to bring each reader that takes messages those that it lacks. Returns null if
 * all readers are `full`, `resyncing` or `ended`.
 */
export function findStart(readers: readonly ReaderState[]): FeedStart | null {
  const cursors = readers.flatMap((reader) => (reader.is === "reading" ? [reader.buffered] : []));
  if (cursors.length > 0) return Math.min(...cursors);
  return readers.some(({ is }) => is === "hinted") ? "anywhere" : null;
}

function toStep(state: ReaderState, effect: ReaderEffect | null = null): ReaderStep {
  return { state, effect };
}

function startAfter(after: number): Reading {
  return { is: "reading", delivered: after, buffered: after, isBusy: false, waitingChars: 0, resyncs: 0 };
}

function receive(
  state: Reading,
  { sequence, chars }: Extract<ReaderEvent, { type: "received" }>,
): ReaderStep {
  if (sequence <= state.buffered) return toStep(state);
  // If the listener is not busy, the buffer is delivered right away.
  const waitingChars = state.isBusy ? state.waitingChars + chars : 0;
  if (waitingChars <= waitingCharsMax)
    return toStep({ ...state, buffered: sequence, waitingChars }, "buffer");
  return toStep({ is: "full", delivered: state.delivered, buffered: sequence }, "buffer");
}

function deliver(state: Reading): ReaderStep {
  if (state.buffered === state.delivered) return toStep({ ...state, isBusy: false });
  const { buffered } = state;
  return toStep({ ...startAfter(buffered), isBusy: true }, "deliver");
}

function finish(state: ReaderState): ReaderStep {
  if (state.is === "reading") return deliver(state);
  if (state.is === "resyncing") return toStep({ ...state, isBusy: false });
  if (state.is !== "full") return toStep(state);
  // First the full buffer is delivered. When the listener has worked on it, the reader takes messages again.
  if (state.delivered < state.buffered) return toStep({ ...state, delivered: state.buffered }, "deliver");
  return toStep(startAfter(state.buffered), "subscribe");
}

function resync(state: Exclude<ReaderState, { is: "hinted" | "ended" }>, epoch: string): ReaderStep {
  const { delivered } = state;
  const isBusy = state.is === "full" || state.isBusy;
  const resyncs = (state.is === "full" ? 0 : state.resyncs) + 1;
  if (resyncs > resyncsInARowMax) return toStep({ is: "ended", delivered }, "fail");
  return toStep({ is: "resyncing", delivered, epoch, isBusy, resyncs }, "ask");
}
