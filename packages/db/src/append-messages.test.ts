import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../../../tests/kit/at-end.js";
import { makeRow, openFeed } from "../../../tests/kit/message-row.js";
import { connectTestDatabase, createTestDatabase } from "../../../tests/kit/test-database.js";
import { type AppendOutcome, appendMessages, type MessageRow } from "./append-messages.js";
import { connectPool } from "./connection.js";
import { databaseErrorCode } from "./database-error.js";

let sql: postgres.Sql;
let url: string;

const cleanup = atEnd();
beforeAll(async () => {
  url = await createTestDatabase(cleanup);
  sql = connectTestDatabase(url, cleanup);
});

function connect(): postgres.Sql {
  const connection = connectPool(url, 1);
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
      { outcome: "duplicate", same: true, sequence: 1 },
      { outcome: "duplicate", same: false, sequence: 1 },
      { outcome: "posted", sequence: 2 },
      { outcome: "duplicate", same: true, sequence: 2 },
      { outcome: "duplicate", same: false, sequence: 2 },
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
    const session = await openFeed(sql);
    const connections = [connect(), connect()];
    for (let round = 1; round <= 100; round += 1) {
      const same = makeRow(session);
      const outcomes = await Promise.all(connections.map((each) => appendMessages(each, [same], true)));
      const kinds = outcomes.flat().map((each) => each.outcome);
      expect(kinds.sort()).toEqual(["duplicate", "posted"]);
    }
    expect((await readFeed(session)).map((each) => each.sequence)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
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
      expect(databaseErrorCode(failure)).toMatch(/^2[23]/);
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

  it("[FEED-1] behaves as a model of it does, for any batches of known, new, closed and missing rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.record({ feed: fc.nat(3), id: fc.nat(6) }), { maxLength: 12 }), {
          maxLength: 4,
        }),
        async (batches) => {
          const feeds = [
            await openFeed(sql),
            await openFeed(sql),
            await openFeed(sql, { closed: true }),
            randomUUID(),
          ];
          const ids = Array.from({ length: 7 }, () => randomUUID());
          const model = new Map<string, Map<string, number>>(feeds.map((feed) => [feed, new Map()]));
          for (const batch of batches) {
            const rows = batch.map(({ feed, id }) => makeRow(feeds[feed] ?? "", { id: ids[id] ?? "" }));
            const expected = rows.map((each) => predict(model, each, feeds));
            const outcomes = rows.length === 0 ? [] : await appendMessages(sql, rows, false);
            expect(outcomes.map(brief)).toEqual(expected);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

function predict(
  model: Map<string, Map<string, number>>,
  { session_id, id }: MessageRow,
  feeds: readonly string[],
): string {
  if (session_id === feeds[3]) return "missing";
  if (session_id === feeds[2]) return "closed";
  const feed = model.get(session_id) ?? new Map<string, number>();
  const known = feed.get(id);
  if (known !== undefined) return `duplicate ${known}`;
  feed.set(id, feed.size + 1);
  return `posted ${feed.size}`;
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
