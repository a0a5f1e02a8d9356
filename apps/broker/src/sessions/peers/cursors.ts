/**
 * The cursors of one peer: which messages the peer has acknowledged, which were sent to it, and which are known
 * to have arrived. A cursor is the sequence of the last message that it covers (CURSOR-1).
 *
 * | Cursor        | Covers                          | Moved by                   | Promise                            |
 * | ------------- | ------------------------------- | -------------------------- | ---------------------------------- |
 * | `acked`       | messages that the peer has, and | `acknowledged`, `resumed`, | Nothing that it covers is          |
 * |               | gaps with none for it           | `foundEmpty`               | delivered again (DELIVER-2,        |
 * |               |                                 |                            | CURSOR-2).                         |
 * | `ackedByPeer` | `acked` without the gaps at its | `acknowledged`, `resumed`  | Its messages get a delivery time   |
 * |               | end                             |                            | (DELIVER-8).                       |
 * | `ackedSaved`  | the part of `acked` known to be | `saved`                    | An acknowledging call replies      |
 * |               | in the database                 |                            | after it (CURSOR-7, CURSOR-8).     |
 * | `offered`     | messages sent by any wait,      | `handedOut`, `replied`,    | `acked` moves past it only over    |
 * |               | inbox or history page           | `resumed`, `acknowledged`, | gaps (CURSOR-3 to CURSOR-5).       |
 * |               |                                 | `foundEmpty`               |                                    |
 * | `returned`    | messages in replies to calls    | `replied`                  | The next such call marks it        |
 * |               | without a cursor                |                            | `again` (CURSOR-6).                |
 * | `confirmed`   | the part of `returned` that is  | `requested`, `resumed`     | The next such call acknowledges it |
 * |               | known to have arrived           |                            | (CURSOR-6).                        |
 * | `repeated`    | the part of `returned` that was | `replied`                  | It counts as read by a caller      |
 * |               | returned twice                  |                            | without receipts, which loses a    |
 * |               |                                 |                            | message only if two whole replies  |
 * |               |                                 |                            | in a row are lost (CURSOR-6).      |
 * | `readSaved`   | the person's read position in   | `readingSaved`             | A failed save is retried           |
 * |               | the database                    |                            | (PERSON-6).                        |
 *
 * Cursors normally only move forward, and `loaded` adopts those values of the row that are further ahead. Two
 * events move all cursors except `readSaved` to one position, even backwards: `placed`, for `replay_from`, and
 * `loaded`, if another node has moved the cursors.
 *
 * After a restart of the broker, the cursors start from the peer's row. Messages beyond the saved cursors are
 * delivered again.
 */
export interface Cursors {
  readonly acked: number;
  readonly ackedByPeer: number;
  readonly ackedSaved: number;
  readonly offered: number;
  readonly returned: number;
  readonly confirmed: number;
  readonly repeated: number;
  readonly readSaved: number;
  /**
   * The replies beyond `acked` that may not have arrived, with the last sequence returned over each
   * connection. The newest reply comes last.
   */
  readonly unconfirmed: readonly { readonly connection: number; readonly upTo: number }[];
  /**
   * A range of the feed, from after one sequence up to another, that contains no messages for this peer. Reads
   * skip the range (CURSOR-10).
   */
  readonly empty: { readonly after: number; readonly upTo: number };
  /**
   * How many times the cursors were moved by `placed` or by another node. Results of saves and queries that
   * began before the last such move are ignored.
   */
  readonly placements: number;
}

/** The cursors that the database stores. */
export type StoredCursors = Pick<Cursors, "acked" | "offered" | "returned" | "repeated">;

export type CursorEvent =
  /** A wait with a cursor, an inbox or a history page sent messages to the peer. */
  | { readonly type: "handedOut"; readonly upTo: number }
  /**
   * The reply to a call without a cursor was written in full. Earlier replies had already returned the messages
   * up to `again`. If `connection` is missing, nothing can later show that the reply arrived.
   */
  | {
      readonly type: "replied";
      readonly upTo: number;
      readonly again: number;
      readonly connection?: number | undefined;
    }
  /** A request arrived over a connection, so the client has read every earlier reply on this connection. */
  | { readonly type: "requested"; readonly connection: number }
  /**
   * A call without a cursor begins. `receipt` is the last sequence of the newest reply that the caller has
   * read: 0 if it has read none, undefined if the caller does not use receipts.
   */
  | {
      readonly type: "resumed";
      readonly receipt?: number | undefined;
      readonly connection?: number | undefined;
    }
  /**
   * The peer reports that it has read up to a cursor. `skipped` is the number of messages for the peer
   * between `offered` and the cursor. If there are none, `offered` moves to the cursor. If `durable` is true,
   * the reply promises that the acknowledgement is on disk.
   */
  | {
      readonly type: "acknowledged";
      readonly cursor: number;
      readonly skipped: number;
      readonly durable: boolean;
    }
  /** A read found no messages for the peer in a range of the feed. */
  | { readonly type: "foundEmpty"; readonly after: number; readonly upTo: number }
  /**
   * A save has finished. `acked` is the value that was saved, and `placements` the value when the save began.
   */
  | { readonly type: "saved"; readonly acked: number; readonly placements: number }
  /** The database returned the peer's row. `asOf` holds the cursors as they were when the query was sent. */
  | { readonly type: "loaded"; readonly row: StoredCursors; readonly asOf: Cursors }
  /** The peer wants to continue reading from a cursor. The cursor is already saved in the database (JOIN-3). */
  | { readonly type: "placed"; readonly cursor: number }
  /** The read position of the peer's person was saved in the database. */
  | { readonly type: "readingSaved"; readonly cursor: number };

/**
 * The effect that the caller must carry out after an event: save the cursors before replying, save them with
 * the next batch, or report that more of the peer's acknowledgements are on disk.
 */
export type CursorEffect = "save" | "save soon" | "report acked";

export interface CursorStep {
  readonly cursors: Cursors;
  readonly effect: CursorEffect | null;
}

/**
 * Maximum number of unconfirmed replies, which limits memory if a client uses a new connection for each call.
 * The messages in a dropped reply are delivered again (CURSOR-6).
 */
const unconfirmedMax = 16;

export function createCursors({ acked, offered, returned, repeated }: StoredCursors): Cursors {
  return {
    acked,
    ackedByPeer: acked,
    ackedSaved: acked,
    offered,
    returned,
    confirmed: acked,
    repeated: Math.max(acked, repeated),
    readSaved: acked,
    unconfirmed: [],
    empty: { after: acked, upTo: acked },
    placements: 0,
  };
}

/** Returns the cursors after an event, and the effect that the caller must carry out. */
export function advance(cursors: Cursors, event: CursorEvent): CursorStep {
  switch (event.type) {
    case "handedOut":
      if (event.upTo <= cursors.offered) return toStep(cursors);
      return toStep({ ...cursors, offered: event.upTo }, "save soon");
    case "replied":
      return toStep(noteReply(cursors, event), "save soon");
    case "requested":
      return toStep(confirm(cursors, event.connection));
    case "resumed": {
      const { receipt, connection } = event;
      const confirmed = connection === undefined ? cursors : confirm(cursors, connection);
      // If the broker was killed before saving, `offered` may not include the reply that the receipt
      // confirms.
      const offered = Math.max(confirmed.offered, receipt ?? 0);
      const read = Math.max(confirmed.confirmed, receipt ?? confirmed.repeated);
      return saveIfAcked(acknowledge({ ...confirmed, offered }, read), "save");
    }
    case "acknowledged": {
      const { cursor, skipped, durable } = event;
      const offered = skipped === 0 ? Math.max(cursors.offered, cursor) : cursors.offered;
      return saveIfAcked(acknowledge({ ...cursors, offered }, cursor), durable ? "save" : "save soon");
    }
    case "foundEmpty":
      return toStep(skipEmpty(cursors, event.after, event.upTo));
    case "saved":
      if (event.placements !== cursors.placements || event.acked <= cursors.ackedSaved)
        return toStep(cursors);
      return toStep({ ...cursors, ackedSaved: event.acked }, "report acked");
    case "loaded":
      return toStep(merge(cursors, event.row, event.asOf));
    case "placed":
      return toStep(place(cursors, event.cursor));
    case "readingSaved":
      return toStep({ ...cursors, readSaved: Math.max(cursors.readSaved, event.cursor) });
  }
}

/**
 * Returns the sequence after which to start reading the peer's messages. Skips the range known to be empty.
 */
export function skipKnownEmpty({ empty }: Cursors, after: number): number {
  return empty.after <= after && after < empty.upTo ? empty.upTo : after;
}

/**
 * Returns whether a call without a cursor can continue from these cursors. It cannot if more messages were
 * sent to the peer than these cursors show as arrived or returned twice, because another node may not have
 * saved yet that its reply was written (NODE-7).
 */
export function canResume(
  cursors: Cursors,
  { connection, givesReceipts }: { readonly connection: number | undefined; readonly givesReceipts: boolean },
): boolean {
  const { acked, returned, repeated, offered } = cursors;
  const arrived = cursors.unconfirmed.find((reply) => reply.connection === connection)?.upTo ?? 0;
  return offered <= Math.max(acked, arrived, givesReceipts ? returned : repeated);
}

function toStep(cursors: Cursors, effect: CursorEffect | null = null): CursorStep {
  return { cursors, effect };
}

function saveIfAcked(cursors: Cursors, effect: "save" | "save soon"): CursorStep {
  return toStep(cursors, cursors.acked > cursors.ackedSaved ? effect : null);
}

/** Acknowledges up to the cursor, but not beyond `offered` (CURSOR-4). */
function acknowledge(cursors: Cursors, cursor: number): Cursors {
  const acked = Math.min(cursor, cursors.offered);
  if (acked <= cursors.acked) return cursors;
  const unconfirmed = cursors.unconfirmed.filter(({ upTo }) => upTo > acked);
  return { ...cursors, acked, ackedByPeer: acked, unconfirmed };
}

function noteReply(
  cursors: Cursors,
  { upTo, again, connection }: Extract<CursorEvent, { type: "replied" }>,
): Cursors {
  const next = {
    ...cursors,
    offered: Math.max(cursors.offered, upTo),
    returned: Math.max(cursors.returned, upTo),
    repeated: Math.max(cursors.repeated, Math.min(again, upTo)),
  };
  if (connection === undefined || upTo <= cursors.acked) return next;
  const earlier = cursors.unconfirmed.find((reply) => reply.connection === connection);
  const others = cursors.unconfirmed.filter((reply) => reply.connection !== connection);
  const reply = { connection, upTo: Math.max(upTo, earlier?.upTo ?? 0) };
  return { ...next, unconfirmed: [...others, reply].slice(-unconfirmedMax) };
}

function confirm(cursors: Cursors, connection: number): Cursors {
  const reply = cursors.unconfirmed.find((each) => each.connection === connection);
  if (!reply) return cursors;
  const unconfirmed = cursors.unconfirmed.filter((each) => each !== reply);
  return { ...cursors, unconfirmed, confirmed: Math.max(cursors.confirmed, reply.upTo) };
}

/**
 * Records an empty range. If no unread message precedes the range, `acked` and `offered` move to its end
 * (CURSOR-10).
 */
function skipEmpty(cursors: Cursors, after: number, upTo: number): Cursors {
  if (upTo <= after) return cursors;
  const known = cursors.empty;
  const isAdjacent = known.after <= after && after <= known.upTo;
  const empty = isAdjacent ? { after: known.after, upTo: Math.max(known.upTo, upTo) } : { after, upTo };
  if (cursors.acked < empty.after) return { ...cursors, empty };
  const acked = Math.max(cursors.acked, empty.upTo);
  return { ...cursors, empty, acked, offered: Math.max(cursors.offered, acked) };
}

function merge(cursors: Cursors, row: StoredCursors, asOf: Cursors): Cursors {
  // The cursors were moved after the query was sent, so the row may be outdated.
  if (cursors.placements !== asOf.placements) return cursors;
  // If the database has a lower `acked` than this node knows to be saved, another node has moved the cursors
  // back.
  const base = row.acked < asOf.ackedSaved ? place(cursors, row.acked) : cursors;
  return {
    ...base,
    acked: Math.max(base.acked, row.acked),
    ackedSaved: Math.max(base.ackedSaved, row.acked),
    offered: Math.max(base.offered, row.offered),
    returned: Math.max(base.returned, row.returned),
    repeated: Math.max(base.repeated, row.repeated),
  };
}

function place(cursors: Cursors, cursor: number): Cursors {
  return {
    ...cursors,
    acked: cursor,
    ackedByPeer: cursor,
    ackedSaved: cursor,
    offered: cursor,
    returned: cursor,
    confirmed: cursor,
    repeated: cursor,
    unconfirmed: [],
    placements: cursors.placements + 1,
  };
}
