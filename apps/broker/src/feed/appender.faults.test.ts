import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Database, type MessageRow, openDatabase, type StoredMessage } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgresProxy } from "../../../../tests/faults/postgres-proxy.js";
import { makeRow, openFeed } from "../../../../tests/kit/message-row.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { createMetrics } from "../core/metrics.js";
import { type Appender, type AppendResult, startAppender } from "./appender.js";

let url: string;
let sql: postgres.Sql;
let database: Database;
const cleanups: (() => Promise<void>)[] = [];
const cleanUp = (run: () => Promise<void>) => void cleanups.push(run);

afterAll(async () => {
  for (const run of cleanups.reverse()) await run();
});

beforeAll(async () => {
  url = await createTestDatabase(cleanUp);
  sql = connectTestDatabase(url, cleanUp);
  database = await openDatabase({ target: url });
  cleanUp(() => database.close());
});

describe("what fails alone", () => {
  it("[FEED-3] in a full batch, rows of a closed and a missing session and rows that cannot be stored fail alone; the others are posted in order", async () => {
    const [a, b] = [await openFeed(sql), await openFeed(sql)];
    const [closed, missing] = [await openFeed(sql, { closed: true }), randomUUID()];
    const { appender } = start();
    const culprits = new Map<number, MessageRow>([
      [3, makeRow(closed)],
      [250, makeRow(missing)],
      [251, makeRow(a, { content: '{"text":"\u0000"}' })],
      [252, makeRow(b, { content: '{"text":"\ud800"}' })],
      [700, makeRow(a, { author_team: "raw \u0000 in a column" })],
      [999, makeRow(b, { salt: "00" })],
    ]);
    const rows = Array.from(
      { length: limits.flushRowsMax },
      (_, index) => culprits.get(index) ?? makeRow(index % 2 === 0 ? a : b),
    );
    const outcomes = await Promise.allSettled(rows.map((each) => appender.append(each)));

    expect(outcomes[3]).toMatchObject({ value: { outcome: "closed" } });
    expect(outcomes[250]).toMatchObject({ value: { outcome: "missing" } });
    for (const index of [251, 252, 700, 999]) {
      expect(outcomes[index]).toMatchObject({ status: "rejected", reason: { code: "bad_request" } });
    }
    const good = rows.filter((_, index) => !culprits.has(index));
    for (const session of [a, b]) {
      const expected = good.filter((each) => each.session_id === session).map((each) => each.id);
      expect(await readIds(session)).toEqual(expected);
    }
    const posted = outcomes.filter((each) => each.status === "fulfilled" && each.value.outcome === "posted");
    expect(posted).toHaveLength(good.length);
    // Failed posts also free their space in the queue (FEED-10).
    expect(appender.queuedBytes).toBe(0);
  });

  it("[FEED-3] where the disk has no room for a large row, the small ones of its flush are posted, and a full disk is asked a few times alone", async () => {
    const session = await openFeed(sql);
    // Makes PostgreSQL raise its own disk-full error if a row is too large.
    await sql.unsafe(`
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END$$;
      CREATE TRIGGER full_disk BEFORE INSERT ON messages FOR EACH ROW
        WHEN (NEW.session_id = '${session}' AND (octet_length(NEW.content) > 20000 OR NEW.content LIKE '%nothing fits%'))
        EXECUTE FUNCTION full_disk()`);
    const { appender, flushes } = start();
    const large = () => makeRow(session, { content: JSON.stringify({ text: "x".repeat(30_000) }) });
    const rows = [makeRow(session), large(), makeRow(session), makeRow(session), large(), makeRow(session)];
    const outcomes = await Promise.allSettled(rows.map((each) => appender.append(each)));
    for (const index of [1, 4]) {
      expect(outcomes[index]).toMatchObject({
        reason: { code: "unavailable", details: { outcome: "none" } },
      });
    }
    expect(await readIds(session)).toEqual([0, 2, 3, 5].map((index) => rows[index]?.id));

    flushes.length = 0;
    const none = Array.from({ length: limits.flushRowsMax }, () =>
      makeRow(session, { content: '{"text":"nothing fits"}' }),
    );
    const refused = await Promise.allSettled(none.map((each) => appender.append(each)));
    expect(refused.every((each) => each.status === "rejected")).toBe(true);
    expect(flushes.length).toBeLessThan(12);
  });

  it("[FEED-3] a row larger than a flush may be goes alone, and what came before and after it keeps its order", async () => {
    const session = await openFeed(sql);
    const { appender, flushes } = start();
    const large = makeRow(session, {
      content: JSON.stringify({ text: "x".repeat(limits.flushBytesMax + 1) }),
    });
    const rows = [makeRow(session), makeRow(session), large, makeRow(session)];
    expect(sequencesOf(await Promise.all(rows.map((each) => appender.append(each))))).toEqual([1, 2, 3, 4]);
    expect(flushes).toEqual([2, 1, 1]);
  });

  it("[SEND-11] of the answers to one ask in one flush the first is posted, and the others are told so alone", async () => {
    const session = await openFeed(sql);
    const { appender } = start();
    await appender.append(makeRow(session));
    const answer = () => makeRow(session, { reply_to: 1, answers: 1 });
    const rows = [makeRow(session), answer(), makeRow(session), answer(), answer(), makeRow(session)];
    const outcomes = await Promise.all(rows.map((each) => appender.append(each)));
    expect(sequencesOf(outcomes)).toEqual([2, 3, 4, "settled", "settled", 5]);
    expect(sequencesOf([await appender.append(answer())])).toEqual(["settled"]);
  });

  it("[FEED-5] the same id, twice in one flush and once more later, is one message", async () => {
    const session = await openFeed(sql);
    const { appender } = start();
    const same = makeRow(session);
    const [first, twin] = await Promise.all([appender.append(same), appender.append(same)]);
    expect(first).toMatchObject({ outcome: "posted", sequence: 1 });
    expect(twin).toMatchObject({ outcome: "duplicate", isSame: true, sequence: 1 });
    expect(await appender.append(same)).toMatchObject({ outcome: "duplicate", isSame: true, sequence: 1 });
  });
});

describe("a session that somebody holds", () => {
  it("[FEED-15] does not delay posts to others, and its own land in their order when it is released", async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const holder = await hold(held);
    const rows = Array.from({ length: 5 }, () => makeRow(held));
    const answered: string[] = [];
    const waiting: Promise<AppendResult>[] = [];
    for (const each of rows) {
      waiting.push(appender.append(each).finally(() => answered.push(each.id)));
      // Another session's post succeeds after each of these rows.
      expect(await appender.append(makeRow(free))).toMatchObject({ outcome: "posted" });
    }
    expect(answered).toEqual([]);

    await holder.release();
    expect(sequencesOf(await Promise.all(waiting))).toEqual([1, 2, 3, 4, 5]);
    expect(await readIds(held)).toEqual(rows.map((each) => each.id));
    expect(await appender.append(makeRow(held))).toMatchObject({ outcome: "posted", sequence: 6 });
  });

  it("[FEED-6] keeps the order of its posts when another row of their batch cannot be stored", async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const holder = await hold(held);
    const rows = Array.from({ length: 8 }, () => makeRow(held));
    const poisoned = makeRow(free, { content: '{"text":"\u0000"}' });
    // The batch is halved repeatedly until the failing row is alone, so several of the smaller batches
    // contain rows of the locked session.
    const batch = [...rows.slice(0, 3), poisoned, ...rows.slice(3, 6)].map((each) => appender.append(each));
    await expect(batch[3]).rejects.toMatchObject({ code: "bad_request" });
    const later = rows.slice(6).map((each) => appender.append(each));
    await appender.append(makeRow(free));

    await holder.release();
    const good = [...batch.slice(0, 3), ...batch.slice(4), ...later];
    expect(sequencesOf(await Promise.all(good))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await readIds(held)).toEqual(rows.map((each) => each.id));
  });

  it("[FEED-1] has its posts numbered after those of whoever held it", async () => {
    const held = await openFeed(sql);
    const { appender, posted } = start();
    const holder = await hold(held, makeRow(held));
    const waiting = appender.append(makeRow(held));
    await holder.release();
    expect(await waiting).toMatchObject({ outcome: "posted", sequence: 2 });
    expect(posted.map((each) => each.sequence)).toEqual([2]);
  });
});

describe("a database that goes away", () => {
  it("[FEED-7] rows whose connection dies in mid-flush are sent again, and each is one message", async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const holder = await hold(held);
    // Locking the session ensures that its rows are still in flight when their connection is closed.
    const waiting = [makeRow(held), makeRow(held), makeRow(held)].map((each) => appender.append(each));
    await appender.append(makeRow(free));
    await endWaitingBackends();
    await holder.release();
    expect(sequencesOf(await Promise.all(waiting))).toEqual([1, 2, 3]);
    expect(await readIds(held)).toHaveLength(3);
  });

  it("[FEED-7] with every connection ended again and again, each row is one message and there is no gap", async () => {
    const sessions = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const rows = Array.from({ length: 100 }, (_, index) => makeRow(sessions[index % 2] ?? ""));
    const batches = 20;
    let appended = 0;
    const appending = async () => {
      for (; appended < batches; appended += 1) {
        const batch = rows.slice(
          (appended * rows.length) / batches,
          ((appended + 1) * rows.length) / batches,
        );
        await Promise.all(batch.map((each) => appender.append(each)));
      }
    };
    const ending = async () => {
      while (appended < batches) {
        const before = appended;
        // Waits for a successful append before closing more connections. Otherwise the database would seem
        // unreachable for longer than an outcome may stay unknown.
        if (await endBackends()) await expect.poll(() => appended, { interval: 1 }).toBeGreaterThan(before);
      }
    };
    await Promise.all([appending(), ending()]);
    for (const session of sessions) {
      expect(await readSequences(session)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    }
  });
});

describe.concurrent("what takes its five seconds", () => {
  it("[FEED-6] a session that is held for too long refuses its posts as unavailable, and none of them was written", {
    tags: "long",
  }, async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const holder = await hold(held);
    const refused = expect(appender.append(makeRow(held))).rejects.toMatchObject({
      code: "unavailable",
      details: { outcome: "none", retry_after_s: expect.any(Number) },
    });
    await appender.append(makeRow(free));
    await refused;
    await holder.release();
    expect(await readIds(held)).toEqual([]);
    expect(await appender.append(makeRow(held))).toMatchObject({ outcome: "posted", sequence: 1 });
  });

  it.each(["nobody listens", "close", "stall"] as const)(
    "[FEED-7] after 5 s without a database (%s) the outcome is unknown, and the same row then tells when it is back",
    async (how) => {
      const session = await openFeed(sql);
      const { proxied, proxy } = await openProxied();
      const { appender } = start(proxied);
      await appender.append(makeRow(session));
      if (how === "nobody listens") await proxy.stop();
      else proxy.mode = how;
      if (how === "close") proxy.cutAll();

      const since = performance.now();
      const lost = makeRow(session);
      await expect(appender.append(lost)).rejects.toMatchObject({
        code: "unavailable",
        details: { outcome: "unknown", retry_after_s: expect.any(Number) },
      });
      expect(performance.now() - since).toBeGreaterThan(limits.unknownOutcomeMsMax - 500);
      if (how === "nobody listens") return;
      proxy.mode = "pass";
      const again = (): Promise<AppendResult> => appender.append(lost).catch(again);
      expect(await again()).toMatchObject({ sequence: 2 });
    },
  );

  it("[FEED-7] an outcome that a lost connection left open stays unknown when the feed is found held then", {
    tags: "long",
  }, async () => {
    const held = await openFeed(sql);
    const lost = Object.assign(new Error("The connection broke."), { code: "CONNECTION_CLOSED" });
    let losses = 1;
    const { appender } = start({
      append: database.append,
      // The first attempt may have been committed, but later attempts find the feed locked.
      appendWaiting: (rows) => (losses-- > 0 ? Promise.reject(lost) : database.appendWaiting(rows)),
    });
    const holder = await hold(held);
    await expect(appender.append(makeRow(held))).rejects.toMatchObject({ details: { outcome: "unknown" } });
    await holder.release();
  });
});

describe("bounds and end", () => {
  it("[FEED-10] beyond 8 MiB that wait, a post is refused before it is admitted, and the others are written", async () => {
    const held = await openFeed(sql);
    const { appender } = start();
    const holder = await hold(held);
    const content = JSON.stringify({ text: "x".repeat(64 * 1024) });
    const fitting = Math.floor(limits.appendQueueBytesMax / (content.length + 200));
    const waiting = Array.from({ length: fitting }, () => appender.append(makeRow(held, { content })));
    const refused = makeRow(held, { content });
    await expect(appender.append(refused)).rejects.toMatchObject({
      code: "unavailable",
      details: { outcome: "none", retry_after_s: expect.any(Number) },
    });
    await holder.release();
    expect(sequencesOf(await Promise.all(waiting))).toEqual(waiting.map((_, index) => index + 1));
    expect(await readIds(held)).not.toContain(refused.id);
    expect(await appender.append(refused)).toMatchObject({ outcome: "posted" });
  });

  it("[OPS-6] stopping answers everything that was admitted, of a held session too, and takes nothing more", async () => {
    const [held, free] = [await openFeed(sql), await openFeed(sql)];
    const { appender } = start();
    const holder = await hold(held);
    const admitted = [makeRow(held), makeRow(free), makeRow(held)].map((each) => appender.append(each));
    await admitted[1];
    const stopped = appender.stop();
    await expect(appender.append(makeRow(free))).rejects.toMatchObject({ code: "unavailable" });
    await holder.release();
    await stopped;
    expect(await readIds(held)).toHaveLength(2);
    expect(sequencesOf(await Promise.all(admitted))).toEqual([1, 1, 2]);
  });

  it("[FEED-1] tells of messages in the feed's order, each before its post is answered", async () => {
    const session = await openFeed(sql);
    const { appender, posted } = start();
    const answers = Array.from({ length: 50 }, () => makeRow(session)).map(async (each) => {
      await appender.append(each);
      expect(posted.some((told) => told.id === each.id)).toBe(true);
    });
    await Promise.all(answers);
    expect(posted.map((told) => told.sequence)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });
});

type AppendingDatabase = Pick<Database, "append" | "appendWaiting">;

/** Starts an appender. Records the size of each completed flush, and the messages passed to `onPosted`. */
function start(on: AppendingDatabase = database): {
  appender: Appender;
  flushes: number[];
  posted: StoredMessage[];
} {
  const flushes: number[] = [];
  const posted: StoredMessage[] = [];
  const appender = startAppender({
    database: {
      append: async (rows) => {
        const outcomes = await on.append(rows);
        flushes.push(rows.length);
        return outcomes;
      },
      appendWaiting: on.appendWaiting,
    },
    metrics: createMetrics(),
    onPosted: (rows) => posted.push(...rows),
    onDuplicate: () => undefined,
  });
  cleanUp(() => appender.stop());
  return { appender, flushes, posted };
}

/**
 * Starts a transaction on another connection that locks a feed until it is released. First appends a row, if
 * one is given.
 */
async function hold(session: string, appended?: MessageRow): Promise<{ release(): Promise<void> }> {
  const connection = connectTestDatabase(url, cleanUp);
  const events = new EventTarget();
  const [isLocked, isReleased] = [once(events, "locked"), once(events, "released")];
  const holding = connection.begin(async (tx) => {
    if (appended) await tx`SELECT FROM append_messages(${JSON.stringify([appended])}::text::json, true)`;
    else await tx`SELECT FROM feeds WHERE session_id = ${session} FOR NO KEY UPDATE`;
    events.dispatchEvent(new Event("locked"));
    await isReleased;
  });
  await isLocked;
  return {
    async release() {
      events.dispatchEvent(new Event("released"));
      await holding;
    },
  };
}

/** Waits until some connections are blocked on a lock during an append, then terminates them. */
async function endWaitingBackends(): Promise<void> {
  for (;;) {
    const ended = await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'merkle' AND datname = current_database() AND wait_event_type = 'Lock'`;
    if (ended.length > 0) return;
  }
}

/** Terminates every connection that is running an append. Returns whether there were any. */
async function endBackends(): Promise<boolean> {
  const ended = await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'merkle' AND datname = current_database() AND query LIKE '%append_messages%'`;
  return ended.length > 0;
}

/** Opens the same database through a proxy that can break the connection. */
async function openProxied() {
  const direct = new URL(url);
  const proxy = await startPostgresProxy({ host: direct.hostname, port: Number(direct.port) });
  direct.port = String(proxy.port);
  const proxied = await openDatabase({ target: direct.href });
  cleanUp(proxy.stop);
  cleanUp(() => proxied.close());
  return { proxied, proxy };
}

function sequencesOf(outcomes: readonly AppendResult[]): (number | string)[] {
  return outcomes.map((each) => ("sequence" in each ? each.sequence : each.outcome));
}

async function readIds(session: string): Promise<string[]> {
  const rows = await sql`SELECT id FROM messages WHERE session_id = ${session} ORDER BY sequence`;
  return rows.map((each) => String(each["id"]));
}

async function readSequences(session: string): Promise<number[]> {
  const rows = await sql`SELECT sequence FROM messages WHERE session_id = ${session} ORDER BY sequence`;
  return rows.map((each) => Number(each["sequence"]));
}
