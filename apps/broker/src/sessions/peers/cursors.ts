/**
 * The cursors of one peer: which messages it has, which it was handed, and what shows that they arrived. A cursor is the
 * sequence of the last message that it covers (CURSOR-1).
 *
 * | Cursor        | Covers                                                | Moved by                             | Promise                                                          |
 * | ------------- | ----------------------------------------------------- | ------------------------------------ | ---------------------------------------------------------------- |
 * | `acked`       | what the peer has, and gaps with nothing for it       | `acknowledged`, `resumed`,           | Nothing that it covers is delivered again (DELIVER-2, CURSOR-2). |
 * |               |                                                       | `foundEmpty`                         |                                                                  |
 * | `ackedByPeer` | `acked` without the gaps at its end                   | `acknowledged`, `resumed`            | Its messages get a delivery time (DELIVER-8).                    |
 * | `ackedSaved`  | what of `acked` the database is known to have         | `saved`                              | A reply that acknowledges waits for it (CURSOR-7, CURSOR-8).     |
 * | `offered`     | what any wait, inbox or history page handed out       | `handedOut`, `replied`, `resumed`,   | `acked` passes it only over gaps (CURSOR-3 to CURSOR-5).         |
 * |               |                                                       | `acknowledged`, `foundEmpty`         |                                                                  |
 * | `returned`    | what replies to calls without a cursor brought        | `replied`                            | The next such call marks it `again` (CURSOR-6).                  |
 * | `confirmed`   | the part of `returned` that is known to have arrived  | `requested`, `resumed`               | The next such call acknowledges it (CURSOR-6).                   |
 * | `repeated`    | the part of `returned` that was brought twice         | `replied`                            | A caller without receipts is taken to have read it: it loses a   |
 * |               |                                                       |                                      | message only if two whole replies in a row are lost (CURSOR-6).  |
 * | `readSaved`   | what the database has as read by the peer's person    | `readingSaved`                       | A failed save is repeated (PERSON-6).                            |
 *
 * Cursors go forward. `loaded` takes over the row's values where they are further. Two events put all cursors but `readSaved`
 * in one place, also backwards: `placed`, for `replay_from`, and `loaded`, if another node has placed them.
 *
 * After a restart of the broker the cursors start from the peer's row. What was not saved is delivered again.
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
  /** Replies beyond `acked` whose arrival nothing shows yet: by connection, how far they went; the newest is last. */
  readonly unconfirmed: readonly { readonly connection: number; readonly upTo: number }[];
  /** A range of the feed with nothing for this peer: after one sequence, up to the other. Reading skips it (CURSOR-10). */
  readonly empty: { readonly after: number; readonly upTo: number };
  /** How often the cursors were placed. The result of a save or query that began before the last placement is ignored. */
  readonly placements: number;
}

/** The cursors that the database stores. */
export type StoredCursors = Pick<Cursors, "acked" | "offered" | "returned" | "repeated">;

export type CursorEvent =
  /** A wait with a cursor, an inbox or a history page handed out messages. */
  | { readonly type: "handedOut"; readonly upTo: number }
  /**
   * A reply to a call without a cursor was written in full. Earlier replies had brought its messages up to `again`. Without
   * a connection nothing can show that the reply arrives.
   */
  | {
      readonly type: "replied";
      readonly upTo: number;
      readonly again: number;
      readonly connection?: number | undefined;
    }
  /** A request came over a connection, so its client has read every earlier reply on it. */
  | { readonly type: "requested"; readonly connection: number }
  /**
   * A call without a cursor begins. Its receipt is how far the last reply went that the caller has read: 0 for none yet,
   * and undefined from a caller that gives no receipts.
   */
  | {
      readonly type: "resumed";
      readonly receipt?: number | undefined;
      readonly connection?: number | undefined;
    }
  /**
   * The peer says that it has read up to a cursor. `skipped` counts the messages for it beyond `offered` that the cursor
   * passes; without any, all up to the cursor counts as handed out. With `durable`, the reply promises that the
   * acknowledgement is on disk.
   */
  | {
      readonly type: "acknowledged";
      readonly cursor: number;
      readonly skipped: number;
      readonly durable: boolean;
    }
  /** A read found nothing for the peer in a range of the feed. */
  | { readonly type: "foundEmpty"; readonly after: number; readonly upTo: number }
  /** A save has finished. It stored `acked` as it was after `placements` placements. */
  | { readonly type: "saved"; readonly acked: number; readonly placements: number }
  /** The database returned the peer's row to a query that was sent when the cursors were `asOf`. */
  | { readonly type: "loaded"; readonly row: StoredCursors; readonly asOf: Cursors }
  /** The peer wants to continue from a cursor, which the database has already stored (JOIN-3). */
  | { readonly type: "placed"; readonly cursor: number }
  /** The database has saved how far the peer's person has read. */
  | { readonly type: "readingSaved"; readonly cursor: number };

/**
 * What the caller has to do after an event: save the cursors before it replies, save them with the next batch, or report
 * that more of what the peer acknowledged is on disk.
 */
export type CursorEffect = "save" | "save soon" | "report acked";

export interface CursorStep {
  readonly cursors: Cursors;
  readonly effect: CursorEffect | null;
}

/** Limits the memory for a client that uses a new connection for each call. A reply that is dropped is brought again (CURSOR-6). */
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

/** Returns the cursors after an event, and what is to be done about it. */
export function advance(cursors: Cursors, event: CursorEvent): CursorStep {
  switch (event.type) {
    case "handedOut":
      if (event.upTo <= cursors.offered) return step(cursors);
      return step({ ...cursors, offered: event.upTo }, "save soon");
    case "replied":
      return step(noteReply(cursors, event), "save soon");
    case "requested":
      return step(confirm(cursors, event.connection));
    case "resumed": {
      const { receipt, connection } = event;
      const confirmed = connection === undefined ? cursors : confirm(cursors, connection);
      // A broker that was killed may not have saved that it handed out what the receipt names.
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
      return step(skipEmpty(cursors, event.after, event.upTo));
    case "saved":
      if (event.placements !== cursors.placements || event.acked <= cursors.ackedSaved) return step(cursors);
      return step({ ...cursors, ackedSaved: event.acked }, "report acked");
    case "loaded":
      return step(merge(cursors, event.row, event.asOf));
    case "placed":
      return step(place(cursors, event.cursor));
    case "readingSaved":
      return step({ ...cursors, readSaved: Math.max(cursors.readSaved, event.cursor) });
  }
}

/** Returns the first sequence after which the peer may have something to read: skips the range known to be empty. */
export function skipKnownEmpty({ empty }: Cursors, after: number): number {
  return empty.after <= after && after < empty.upTo ? empty.upTo : after;
}

/**
 * True if a call without a cursor can begin from these cursors. Otherwise something beyond them was handed out, perhaps by
 * another node that has yet to save that its reply was written, or brought twice (NODE-7).
 */
export function canResume(
  cursors: Cursors,
  { connection, givesReceipts }: { readonly connection: number | undefined; readonly givesReceipts: boolean },
): boolean {
  const { acked, returned, repeated, offered } = cursors;
  const arrived = cursors.unconfirmed.find((reply) => reply.connection === connection)?.upTo ?? 0;
  return offered <= Math.max(acked, arrived, givesReceipts ? returned : repeated);
}

function step(cursors: Cursors, effect: CursorEffect | null = null): CursorStep {
  return { cursors, effect };
}

function saveIfAcked(cursors: Cursors, effect: "save" | "save soon"): CursorStep {
  return step(cursors, cursors.acked > cursors.ackedSaved ? effect : null);
}

/** Acknowledges min(cursor, offered) (CURSOR-4). */
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

/** If nothing unread precedes the range, `acked` and `offered` move over it (CURSOR-10). */
function skipEmpty(cursors: Cursors, after: number, upTo: number): Cursors {
  if (upTo <= after) return cursors;
  const known = cursors.empty;
  const continues = known.after <= after && after <= known.upTo;
  const empty = continues ? { after: known.after, upTo: Math.max(known.upTo, upTo) } : { after, upTo };
  if (cursors.acked < empty.after) return { ...cursors, empty };
  const acked = Math.max(cursors.acked, empty.upTo);
  return { ...cursors, empty, acked, offered: Math.max(cursors.offered, acked) };
}

function merge(cursors: Cursors, row: StoredCursors, asOf: Cursors): Cursors {
  // The row may be older than the cursors' own placement.
  if (cursors.placements !== asOf.placements) return cursors;
  // `acked` in the database never falls below `ackedSaved`, unless another node has placed the cursors.
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
