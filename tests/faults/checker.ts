/**
 * A post that the broker acknowledged to its writer. A post that was acknowledged several times is listed several
 * times.
 */
export interface AckedPost {
  readonly session: string;
  /** The post's idempotency key. */
  readonly key: string;
  readonly sequence: number;
  readonly text: string;
}

/** The events that one reader recorded, in order. */
export interface ReaderLog {
  readonly reader: string;
  readonly session: string;
  /**
   * `exactly_once`: the reader keeps its own cursor. `at_least_once`: the broker keeps the cursor and may redeliver
   * messages that the reader has not acknowledged. If the reader sends neither cursor nor receipt, a message that was
   * delivered to it twice counts as read (CURSOR-6).
   */
  readonly promise: "exactly_once" | "at_least_once";
  readonly events: readonly ReaderEvent[];
}

export type ReaderEvent =
  /** The reader started after this cursor. For an `at_least_once` reader, this is the cursor that the broker stored. */
  | { readonly type: "resumed"; readonly cursor: number }
  /** A call without a cursor or receipt failed, so it is unknown which messages it delivered. */
  | { readonly type: "cut" }
  | { readonly type: "message"; readonly sequence: number; readonly text: string };

/** A row of the feed, read with SQL. */
export interface StoredRow {
  readonly session: string;
  readonly sequence: number;
  readonly text: string;
  /** The idempotency key of the post. Null for the broker's own messages. */
  readonly key: string | null;
}

export interface Problem {
  readonly kind: "lost" | "gap" | "skipped" | "repeated" | "reordered" | "duplicate" | "altered" | "invented";
  /** Where the problem was found: `writer`, `database`, or the name of a reader. */
  readonly source: string;
  readonly session: string;
  readonly sequence: number;
  readonly detail: string;
}

export interface Run {
  readonly acked: readonly AckedPost[];
  readonly readers: readonly ReaderLog[];
  /** The rows, in sequence order. */
  readonly database: readonly StoredRow[];
}

/**
 * Compares three independent records of a run: the writers' acknowledgements, the readers' logs and the database. No
 * acknowledged post may be lost or altered. Each feed must be exactly 1..n with one message per key. Each reader must
 * have seen the feed in order from its cursor to the end, without gaps or repeats.
 */
export function checkRun({ acked, readers, database }: Run): Problem[] {
  const feeds = groupBy(database, (row) => row.session);
  return [
    ...[...feeds.values()].flatMap(checkFeed),
    ...checkKeys(database),
    ...checkAcked(acked, indexRows(database)),
    ...readers.flatMap((reader) => checkReader(reader, feeds.get(reader.session) ?? [])),
  ];
}

function checkFeed(rows: readonly StoredRow[]): Problem[] {
  return rows.flatMap((row, index): Problem[] => {
    const before = rows[index - 1]?.sequence ?? 0;
    const expected = before + 1;
    if (row.sequence === expected) return [];
    const found = { source: "database", session: row.session };
    if (row.sequence > expected) {
      return [
        { ...found, kind: "gap", sequence: expected, detail: `${before} is followed by ${row.sequence}` },
      ];
    }
    const kind = row.sequence === before ? "duplicate" : "reordered";
    return [{ ...found, kind, sequence: row.sequence, detail: `stands after ${before}` }];
  });
}

function checkKeys(database: readonly StoredRow[]): Problem[] {
  const keyed = database.filter((row) => row.key !== null);
  const groups = groupBy(keyed, (row) => `${row.session} ${row.key}`);
  return [...groups.values()].flatMap(([first, ...others]): Problem[] =>
    others.map(({ session, sequence, key }) => ({
      kind: "duplicate",
      source: "database",
      session,
      sequence,
      detail: `key ${key} has message ${first?.sequence} already`,
    })),
  );
}

function checkAcked(acked: readonly AckedPost[], stored: ReadonlyMap<string, StoredRow>): Problem[] {
  const firstOf = new Map<string, AckedPost>();
  const ownerOf = new Map<string, AckedPost>();
  return acked.flatMap((post): Problem[] => {
    const { session, sequence } = post;
    const found = { source: "writer", session, sequence };
    const row = stored.get(`${session} ${sequence}`);
    const first = getOrSet(firstOf, `${session} ${post.key}`, post);
    const owner = getOrSet(ownerOf, `${session} ${sequence}`, post);
    if (first.sequence !== sequence) {
      return [
        { ...found, kind: "duplicate", detail: `key ${post.key} was first answered ${first.sequence}` },
      ];
    }
    if (owner.key !== post.key) {
      return [{ ...found, kind: "duplicate", detail: `answered to the keys ${owner.key} and ${post.key}` }];
    }
    if (!row) return [{ ...found, kind: "lost", detail: `key ${post.key} was acked and is not stored` }];
    if (row.key !== post.key) {
      return [{ ...found, kind: "lost", detail: `acked to key ${post.key}, stored is that of ${row.key}` }];
    }
    if (row.text !== post.text) return [{ ...found, kind: "altered", detail: differ(post.text, row.text) }];
    return [];
  });
}

/** Checks a reader's log against the feed, tracking which message must come next. */
function checkReader({ reader, session, promise, events }: ReaderLog, rows: readonly StoredRow[]): Problem[] {
  const bySequence = new Map(rows.map((row) => [row.sequence, row]));
  const end = rows.at(-1)?.sequence ?? 0;
  const problems: Problem[] = [];
  const note = (kind: Problem["kind"], sequence: number, detail: string) =>
    problems.push({ kind, source: reader, session, sequence, detail });
  let cursor: number | null = null;
  let seen = 0;
  let acknowledged = 0;
  let cuts = 0;

  for (const event of events) {
    if (event.type === "cut") {
      cuts += 1;
      continue;
    }
    const mayBeDeliveredTwice = cuts >= 2;
    cuts = 0;
    if (event.type === "resumed") {
      const floor = promise === "exactly_once" ? (cursor ?? event.cursor) : acknowledged;
      const ceiling = cursor === null ? event.cursor : Math.max(cursor, seen);
      if (event.cursor > ceiling && !mayBeDeliveredTwice)
        note("skipped", ceiling + 1, `resumed after ${event.cursor}, had ${ceiling}`);
      if (event.cursor < floor)
        note("repeated", event.cursor + 1, `resumed after ${event.cursor}, had ${floor}`);
      cursor = event.cursor;
      seen = Math.max(seen, cursor);
      acknowledged = Math.max(acknowledged, cursor);
      continue;
    }
    const { sequence, text } = event;
    const expected: number = (cursor ?? 0) + 1;
    const row = bySequence.get(sequence);
    if (!row) note("invented", sequence, "was read and is not stored");
    else if (row.text !== text) note("altered", sequence, differ(row.text, text));
    if (sequence > expected) note("skipped", expected, `${expected - 1} was followed by ${sequence}`);
    if (sequence === expected - 1) note("repeated", sequence, "came twice in a row");
    else if (sequence < expected) note("reordered", sequence, `came after ${expected - 1}`);
    cursor = Math.max(sequence, cursor ?? 0);
    seen = Math.max(seen, cursor);
  }
  if (seen < end) note("lost", seen + 1, `the feed ends at ${end}, the log at ${seen}`);
  return problems;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function indexRows(rows: readonly StoredRow[]): Map<string, StoredRow> {
  return new Map(rows.map((row) => [`${row.session} ${row.sequence}`, row]));
}

/** Returns the first value stored for a key. Stores this value if the key is new. */
function getOrSet<Value>(known: Map<string, Value>, key: string, value: Value): Value {
  const first = known.get(key) ?? value;
  known.set(key, first);
  return first;
}

function differ(expected: string, actual: string): string {
  return `expected ${JSON.stringify(expected.slice(0, 80))}, got ${JSON.stringify(actual.slice(0, 80))}`;
}
