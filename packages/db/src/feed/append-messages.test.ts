import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageFields } from "@merkle/wire";
import fc from "fast-check";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { type FeedOptions, makeRow, openFeed } from "../../../../tests/kit/message-row.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { connectPool } from "../core/connection.js";
import { findDatabaseErrorCode, findViolatedConstraint } from "../core/database-error.js";
import { appendMessages, appendUsualMessages } from "./append-messages.js";
import type { AppendOutcome, MessageRow } from "./message-row.js";

let sql: postgres.Sql;
let url: string;

const cleanup = createCleanup();
beforeAll(async () => {
  url = await createTestDatabase(cleanup);
  sql = connectTestDatabase(url, cleanup);
});

/** Opens a connection like that of the appender. */
function connect(): postgres.Sql {
  const connection = connectPool(url, 1, { plans: "generic" });
  cleanup(() => connection.end({ timeout: 1 }));
  return connection;
}

async function readFeed(sessionId: string): Promise<{ sequence: number; id: string }[]> {
  const rows = await sql`SELECT sequence, id FROM messages WHERE session_id = ${sessionId} ORDER BY sequence`;
  return rows.map((each) => ({ sequence: Number(each["sequence"]), id: String(each["id"]) }));
}

describe("append_messages", () => {
  it("[FEED-1] numbers a feed 1, 2, 3 in the order of the rows, and each feed by itself", async () => {
    const [a, b] = [await openFeed(sql), await openFeed(sql)];
    const outcomes = await appendMessages(
      sql,
      [makeRow(a), makeRow(b), makeRow(a), makeRow(a), makeRow(b)],
      false,
    );
    expect(outcomes.map((each) => ("sequence" in each ? each.sequence : each.outcome))).toEqual([
      1, 1, 2, 3, 2,
    ]);
  });

  it("[FEED-5] finds a known id, and a twin inside the batch, and says whether it is the same message", async () => {
    const session = await openFeed(sql);
    const first = makeRow(session);
    await appendMessages(sql, [first], false);
    const twin = makeRow(session);
    const outcomes = await appendMessages(
      sql,
      [
        first,
        { ...first, content: '{"text":"other"}' },
        twin,
        twin,
        { ...twin, content: '{"text":"other"}' },
      ],
      false,
    );
    expect(outcomes).toMatchObject([
      { outcome: "duplicate", isSame: true, sequence: 1 },
      { outcome: "duplicate", isSame: false, sequence: 1 },
      { outcome: "posted", sequence: 2 },
      { outcome: "duplicate", isSame: true, sequence: 2 },
      { outcome: "duplicate", isSame: false, sequence: 2 },
    ]);
    expect(await readFeed(session)).toHaveLength(2);
  });

  it("[FEED-6] answers closed and missing feeds row by row, and lets through what may come after closing", async () => {
    const [open, closed] = [await openFeed(sql), await openFeed(sql, { closed: true })];
    const twin = makeRow(closed);
    const outcomes = await appendMessages(
      sql,
      [twin, makeRow(randomUUID()), makeRow(open), twin, makeRow(closed, { after_closing: true })],
      false,
    );
    expect(outcomes.map((each) => each.outcome)).toEqual(["closed", "missing", "posted", "closed", "posted"]);
  });

  it("[FEED-15] answers busy for a feed that another transaction holds, and appends to the others", async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const holder = connect();
    const { promise: released, resolve: release } = withResolvers();
    const { promise: locked, resolve: hasLock } = withResolvers();
    const holding = holder.begin(async (tx) => {
      await tx`SELECT FROM feeds WHERE session_id = ${held} FOR NO KEY UPDATE`;
      hasLock();
      await released;
    });
    await locked;

    const outcomes = await appendMessages(sql, [makeRow(held), makeRow(free), makeRow(held)], false);
    expect(outcomes.map((each) => each.outcome)).toEqual(["busy", "posted", "busy"]);

    const waiting = appendMessages(connect(), [makeRow(held)], true);
    release();
    await holding;
    expect(await waiting).toMatchObject([{ outcome: "posted", sequence: 1 }]);
  });

  it("[FEED-5] two connections that race on one key make one message and leave no gap", async () => {
    const connections = [connect(), connect()];
    for (const shouldWait of [true, false]) {
      const session = await openFeed(sql);
      for (let round = 1; round <= 100; round += 1) {
        const same = makeRow(session);
        const outcomes = await Promise.all(
          connections.map((each) => appendMessages(each, [same], shouldWait)),
        );
        const kinds = outcomes.flat().map((each) => each.outcome);
        const loser = shouldWait ? ["duplicate"] : ["busy", "duplicate"];
        expect(kinds.filter((kind) => kind !== "posted")).toEqual([expect.toBeOneOf(loser)]);
      }
      expect((await readFeed(session)).map((each) => each.sequence)).toEqual(
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
    }
  });

  it("[FEED-1] batches that collide on feeds and ids from four connections neither deadlock nor leave a gap", async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => openFeed(sql)));
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(Math.random() * items.length)] as Item;
    const connections = Array.from({ length: 4 }, connect);
    await Promise.all(
      connections.map(async (connection) => {
        for (let round = 0; round < 25; round += 1) {
          const batch = Array.from({ length: 20 }, () => makeRow(pick(sessions), { id: pick(ids) }));
          const outcomes = await appendMessages(connection, batch, round % 2 === 0);
          expect(outcomes).toHaveLength(20);
        }
      }),
    );
    for (const session of sessions) {
      const feed = await readFeed(session);
      expect(feed.map((each) => each.sequence)).toEqual(feed.map((_, index) => index + 1));
      expect(new Set(feed.map((each) => each.id)).size).toBe(feed.length);
    }
  });

  it("[FEED-12] a row that cannot be stored fails the statement with a data error and leaves nothing behind", async () => {
    const session = await openFeed(sql);
    for (const bad of [
      makeRow(session, { content: '{"text":"\u0000"}' }),
      makeRow(session, { author_team: "lone \ud800 surrogate" }),
      makeRow(session, { salt: "00" }),
      makeRow(session, { reply_to: 99 }),
    ]) {
      const failure = await appendMessages(sql, [makeRow(session), bad], false).catch(
        (error: unknown) => error,
      );
      expect(findDatabaseErrorCode(failure)).toMatch(/^2[23]/);
    }
    expect(await readFeed(session)).toEqual([]);
  });

  it("[FEED-9] posted_at never goes back within a session, also when the clock does", async () => {
    const session = await openFeed(sql);
    const future = new Date(Date.now() + 60_000);
    await sql`UPDATE feeds SET last_posted_at = ${future} WHERE session_id = ${session}`;
    const [outcome] = await appendMessages(sql, [makeRow(session)], false);
    expect(outcome).toMatchObject({ outcome: "posted", postedAt: future });
  });

  it("[HOLD-2] a held feed takes humans' messages and events, and of agents only what it has already", async () => {
    const session = await openFeed(sql);
    const before = makeRow(session);
    await appendMessages(sql, [before], false);
    await sql`UPDATE feeds SET held_at = now() WHERE session_id = ${session}`;
    const outcomes = await appendMessages(
      sql,
      [
        before,
        makeRow(session),
        makeRow(session, { author_human: true }),
        makeRow(session, { type: "system", team_id: null, author_team: null }),
        makeRow(session),
      ],
      false,
    );
    expect(outcomes.map(brief)).toEqual(["duplicate 1", "held", "posted 2", "posted 3", "held"]);
  });

  it("[BUDGET-1] of a batch exactly as many agents' messages are posted as the budget has left after each human word", async () => {
    const session = await openFeed(sql, { budget: 2 });
    const [agent, human] = [() => makeRow(session), () => makeRow(session, { author_human: true })];
    const batch = [agent(), agent(), agent(), human(), agent(), agent(), agent()];
    expect((await appendMessages(sql, batch, false)).map(brief)).toEqual([
      "posted 1",
      "posted 2",
      "over_budget",
      "posted 3",
      "posted 4",
      "posted 5",
      "over_budget",
    ]);
    const [feed] = await sql`
      SELECT agent_messages, agent_messages_at_human FROM feeds WHERE session_id = ${session}`;
    expect(feed).toMatchObject({ agent_messages: "4", agent_messages_at_human: "2" });
  });

  it("[SEND-11] of two messages that answer one ask the second fails the statement, and leaves nothing behind", async () => {
    const session = await openFeed(sql);
    await appendMessages(sql, [makeRow(session)], false);
    const answer = () => makeRow(session, { reply_to: 1, answers: 1 });
    const failure = await appendMessages(sql, [answer(), answer()], false).catch((error: unknown) => error);
    expect(findViolatedConstraint(failure)).toBe("messages_settle_once");
    const reaches = [randomUUID(), randomUUID()];
    await appendMessages(sql, [{ ...answer(), reaches }], false);
    const [stored] =
      await sql`SELECT answers, reaches FROM messages WHERE session_id = ${session} AND sequence = 2`;
    expect(stored).toMatchObject({ answers: "1", reaches });
  });

  it("[FEED-1] behaves as a model of it does, for any batches of known and new rows, of agents and humans, in any feed", async () => {
    const anyRow = fc.record({ feed: fc.nat(4), id: fc.nat(11) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { maxLength: 16 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (batches, budget) => {
          const feeds: ModelFeed[] = [
            await openModel({}),
            await openModel({ budget }),
            await openModel({ closed: true }),
            await openModel({ held: true }),
            { sessionId: randomUUID(), missing: true, ...emptyFeed },
          ];
          const ids = Array.from({ length: 12 }, () => randomUUID());
          for (const batch of batches) {
            const rows = batch.map(({ feed, id }) =>
              // Each id always has the same author, so it is always a human's or always an agent's.
              makeRow(feeds[feed]?.sessionId ?? "", { id: ids[id] ?? "", author_human: id % 4 === 0 }),
            );
            const answered = new Map<string, string>();
            const expected = batch.map(({ feed, id }, index) => {
              // The second row with the same id in a batch gets the outcome of the first.
              const answer = answered.get(`${feed} ${id}`) ?? predict(feeds[feed], rows[index]);
              answered.set(`${feed} ${id}`, answer.replace("posted", "duplicate"));
              return answer;
            });
            const outcomes = rows.length === 0 ? [] : await appendMessages(sql, rows, false);
            expect(outcomes.map(brief)).toEqual(expected);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("appendUsualMessages", () => {
  const anyText = fc.oneof(fc.string(), fc.constantFrom('"', "\\", '{"', "NULL", "a,b", "", "}", "null"));
  const anyRow = fc.record({
    feed: fc.nat(2),
    type: fc.constantFrom("chat" as const, "chat" as const, "system" as const),
    author_human: fc.boolean(),
    author_team: fc.option(anyText),
    author_peer: fc.option(anyText),
    recipients: fc.oneof(fc.constant(["*"]), fc.array(anyText, { maxLength: 3 })),
    reaches: fc.option(fc.array(fc.uuid(), { maxLength: 3 })),
    priority: fc.constantFrom("now" as const, "next" as const, "low" as const),
    kind: fc.option(anyText),
    text: anyText,
  });

  it("[FEED-1] [FEED-4] stores, numbers and counts what append_messages does, for any new rows of open feeds", async () => {
    const appending = connect();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        async (batches) => {
          const usual = await Promise.all([openFeed(sql), openFeed(sql), openFeed(sql)]);
          const full = await Promise.all([openFeed(sql), openFeed(sql), openFeed(sql)]);
          for (const [round, batch] of batches.entries()) {
            const toRow = ({ feed, text, ...row }: (typeof batch)[number], feeds: readonly string[]) =>
              makeRow(feeds[feed] ?? "", {
                ...row,
                team_id: row.type === "chat" ? randomUUID() : null,
                author_human: row.author_human && row.type === "chat",
                content: JSON.stringify({ text }),
              });
            const storable = batch.filter((row) => !JSON.stringify(row).includes("\\u0000"));
            if (storable.length === 0) continue;
            const ones = storable.map((row) => toRow(row, usual));
            const others = ones.map((row, index) => {
              const session_id = full[storable[index]?.feed ?? 0] ?? "";
              return { ...row, session_id, id: randomUUID() };
            });
            // The result is the same with the plans of the appender as with any others.
            const answers = await appendUsualMessages(round === 0 ? sql : appending, ones);
            // With `wait` set to true, only `append_messages` is used.
            const expected = await appendMessages(sql, others, true);
            expect(answers?.map(brief)).toEqual(expected.map(brief));
          }
          for (const [index, session] of usual.entries()) {
            const other = full[index] ?? "";
            expect(await readStored(session)).toEqual(await readStored(other));
            expect(await readCounts(session)).toEqual(await readCounts(other));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[FEED-15] writes nothing where a feed is held by somebody, missing, closed, or has an id already", async () => {
    const free = await openFeed(sql);
    const known = makeRow(free);
    await appendMessages(sql, [known], false);
    for (const odd of [
      makeRow(randomUUID()),
      makeRow(await openFeed(sql, { closed: true })),
      makeRow(await openFeed(sql, { held: true })),
      makeRow(await openFeed(sql, { budget: 5 })),
      known,
    ]) {
      expect(await appendUsualMessages(sql, [makeRow(free), odd])).toBeNull();
    }
    expect(await readFeed(free)).toHaveLength(1);
  });
});

async function readStored(sessionId: string) {
  return sql`SELECT sequence, type, author_team, author_peer, author_human, recipients, priority, content, reaches, kind
             FROM messages WHERE session_id = ${sessionId} ORDER BY sequence`;
}

async function readCounts(sessionId: string) {
  return sql`SELECT last_sequence, last_chat_sequence, agent_messages, agent_messages_at_human,
                    last_posted_at IS NULL AS is_empty FROM feeds WHERE session_id = ${sessionId}`;
}

interface ModelFeed extends FeedOptions {
  readonly sessionId: string;
  readonly missing?: boolean;
  readonly sequences: Map<string, number>;
  /** Number of messages by agents since the last message from a human. */
  agents: number;
}

const emptyFeed = {
  get sequences() {
    return new Map<string, number>();
  },
  agents: 0,
};

async function openModel(options: FeedOptions): Promise<ModelFeed> {
  return { sessionId: await openFeed(sql, options), ...options, ...emptyFeed };
}

function predict(feed: ModelFeed | undefined, row: MessageRow | undefined): string {
  if (!feed || !row || feed.missing) return "missing";
  const known = feed.sequences.get(row.id);
  if (known !== undefined) return `duplicate ${known}`;
  if (feed.closed) return "closed";
  if (!row.author_human) {
    if (feed.held) return "held";
    if (feed.budget !== undefined && feed.agents >= feed.budget) return "over_budget";
  }
  feed.agents = row.author_human ? 0 : feed.agents + 1;
  feed.sequences.set(row.id, feed.sequences.size + 1);
  return `posted ${feed.sequences.size}`;
}

function brief(outcome: AppendOutcome): string {
  return "sequence" in outcome ? `${outcome.outcome} ${outcome.sequence}` : outcome.outcome;
}

function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve?.() };
}

describe("the fields of a message", () => {
  it("[DB-15] are the columns of its table, each of its type", async () => {
    const columns = await sql`
      SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = 'messages'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`;
    const types = new Map([["timestamptz", "timestamp(3) with time zone"]]);
    const fields = Object.entries(messageFields).map(([name, { type }]) => ({
      name,
      type: types.get(type) ?? type,
    }));
    expect(fields.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([...columns]);
  });

  it("[FEED-1] are inserted by the two ways to append and the import alone", async () => {
    const root = join(import.meta.dirname, "../../../..");
    const files = await Promise.all(
      ["packages/db/src", "packages/db/sql", "apps/broker/src", "apps/cli/src"].map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true })).map((file) => `${folder}/${file}`),
      ),
    );
    const sources = files
      .flat()
      .filter((file) => /\.(?:ts|sql)$/.test(file) && !/\.test\.|test-support/.test(file));
    const inserting: string[] = [];
    for (const file of sources) {
      const text = await readFile(join(root, file), "utf8");
      if (/INSERT INTO messages\b|insert\(messages\)/i.test(text)) inserting.push(file);
    }
    expect(inserting.sort()).toEqual([
      "packages/db/sql/append_messages.sql",
      "packages/db/src/features/import/import.ts",
      "packages/db/src/feed/append-messages.ts",
    ]);
  });
});
