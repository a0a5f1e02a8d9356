/**
 * The state of one subscription's delivery, and its cursor. An event that does not concern a state leaves the state as
 * it is.
 *
 * | State     | Meaning                                                | Promise                                                          |
 * | --------- | ------------------------------------------------------ | ---------------------------------------------------------------- |
 * | `waiting` | Nothing is being read: everything was sent, or the     | Nothing is queued for the client. The next `woken` reads what is |
 * |           | connection takes no more data until it has drained.    | new after the cursor.                                            |
 * | `reading` | The messages after the cursor are being read, from the | There is one read at a time, so that messages stay in order      |
 * |           | channel's memory or the database.                      | (WS-3).                                                          |
 * | `pausing` | A read has failed.                                     | The caller feeds `retryDue` after a pause, and then `woken`, so  |
 * |           |                                                        | that the read is repeated even if no one posts.                  |
 * | `stopped` | The client has unsubscribed or is gone.                | Nothing more is sent. The result of a read that is still running |
 * |           |                                                        | is dropped.                                                      |
 *
 * The cursor covers the messages that were read to be sent, and those that are not for the peer. It starts at the
 * client's cursor for a follow, and after the acknowledged messages for an inbox. It moves with `read` and never goes
 * back: each message is sent at most once per subscription, in order (WS-3).
 *
 * The peer's own cursors cannot serve here, because all of its connections share them. A follow has no peer at all.
 */
export interface PumpState {
  readonly is: "waiting" | "reading" | "pausing" | "stopped";
  readonly cursor: number;
}

export type PumpEvent =
  /**
   * There may be more to send: the feed's last sequence (`head`) has moved, the connection accepts data again, or the
   * messages that the last read returned have been sent.
   */
  | { readonly type: "woken"; readonly head: number; readonly canSend: boolean }
  /** A read returned the messages up to a sequence. */
  | { readonly type: "read"; readonly upTo: number }
  /** A read failed. A read of an archived session is not repeated until the session changes (ARCHIVE-6). */
  | { readonly type: "readFailed"; readonly isArchived: boolean }
  | { readonly type: "retryDue" }
  | { readonly type: "stopped" };

/** The effect that the caller must carry out: read after the cursor, send what was read, or feed `retryDue` after a pause. */
export type PumpEffect = "read" | "send" | "pause";

export interface PumpStep {
  readonly state: PumpState;
  readonly effect: PumpEffect | null;
}

/** Returns the state after an event, and the effect that the caller must carry out. */
export function advancePump(state: PumpState, event: PumpEvent): PumpStep {
  const { cursor } = state;
  switch (event.type) {
    case "woken":
      if (state.is !== "waiting" || !event.canSend || cursor >= event.head) break;
      return { state: { is: "reading", cursor }, effect: "read" };
    case "read":
      if (state.is !== "reading") break;
      return { state: { is: "waiting", cursor: Math.max(cursor, event.upTo) }, effect: "send" };
    case "readFailed":
      if (state.is !== "reading") break;
      if (event.isArchived) return { state: { is: "waiting", cursor }, effect: null };
      return { state: { is: "pausing", cursor }, effect: "pause" };
    case "retryDue":
      if (state.is !== "pausing") break;
      return { state: { is: "waiting", cursor }, effect: null };
    case "stopped":
      return { state: { is: "stopped", cursor }, effect: null };
  }
  return { state, effect: null };
}
