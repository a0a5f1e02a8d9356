import { randomUUID } from "node:crypto";
import { type Database, type MessageRow, openDatabase } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTestDatabase } from "../../../../tests/kit/test-database.js";
import { everyone, toChatRow } from "../core/message.js";
import { createMetrics } from "../core/metrics.js";
import { startAppender } from "./appender.js";

/** Number of bytes that the appender counts for a row in addition to its content. */
const rowBytes = 200;

/** Starts an appender whose flushes are recorded and can be paused. */
async function startWatchedAppender() {
  const database = await openDatabase({ target: await createTestDatabase() });
  onTestFinished(() => database.close());
  const batches: number[] = [];
  let gate = Promise.resolve();
  const watched: Pick<Database, "append" | "appendWaiting"> = {
    async append(rows) {
      batches.push(rows.length);
      await gate;
      return database.append(rows);
    },
    appendWaiting: database.appendWaiting,
  };
  const appender = startAppender({
    database: watched,
    metrics: createMetrics(),
    onPosted: () => undefined,
    onDuplicate: () => undefined,
  });
  onTestFinished(() => appender.stop());
  return {
    appender,
    batches,
    /** Pauses all later flushes. Returns a function that resumes them. */
    hold(): () => void {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

/**
 * Creates a message row for a nonexistent session. The row is processed normally and gets the outcome
 * `missing`.
 */
function row(contentBytes = 100): MessageRow {
  const author = { teamId: randomUUID(), peerId: randomUUID(), team: "Birch", peer: null, human: false };
  const said = (text: string) =>
    ({ content: { text }, audience: everyone, priority: "next", replyTo: null, answers: null }) as const;
  const empty = toChatRow(randomUUID(), randomUUID(), author, said(""));
  const text = "x".repeat(contentBytes - Buffer.byteLength(empty.content));
  return toChatRow(empty.session_id, empty.id, author, said(text));
}

it("[FEED-3] [LIMIT-1] flushRowsMax messages go in one flush, one more in the next", async () => {
  for (const [rows, expected] of [
    [limits.flushRowsMax - 1, [limits.flushRowsMax - 1]],
    [limits.flushRowsMax, [limits.flushRowsMax]],
    [limits.flushRowsMax + 1, [limits.flushRowsMax, 1]],
  ] as const) {
    const { appender, batches } = await startWatchedAppender();
    await Promise.all(Array.from({ length: rows }, () => appender.append(row())));
    expect(batches, `${rows} rows`).toEqual(expected);
  }
});

it("[FEED-3] [LIMIT-1] flushBytesMax go in one flush, one byte more in the next", async () => {
  const half = limits.flushBytesMax / 2 - rowBytes;
  for (const [more, expected] of [
    [-1, [2]],
    [0, [2]],
    [1, [1, 1]],
  ] as const) {
    const { appender, batches } = await startWatchedAppender();
    await Promise.all([appender.append(row(half)), appender.append(row(half + more))]);
    expect(batches, `${more} bytes more`).toEqual(expected);
  }
});

it("[FEED-10] [LIMIT-1] appendQueueBytesMax may wait to be written, one byte more is refused before it is taken", {
  tags: "long",
}, async () => {
  for (const [more, taken] of [
    [-1, true],
    [0, true],
    [1, false],
  ] as const) {
    const { appender, hold } = await startWatchedAppender();
    const release = hold();
    const first = appender.append(row(limits.appendQueueBytesMax / 2 - rowBytes));
    const second = appender
      .append(row(limits.appendQueueBytesMax / 2 - rowBytes + more))
      .catch((error: unknown) => error);
    release();
    expect(await first).toEqual({ outcome: "missing" });
    expect(await second, `${more} bytes more`).toMatchObject(
      taken
        ? { outcome: "missing" }
        : { code: "unavailable", details: { outcome: "none", retry_after_s: 1 } },
    );
    // Completed posts free their space in the queue.
    expect(await appender.append(row())).toEqual({ outcome: "missing" });
  }
});

it("[FEED-7] [LIMIT-1] a lost database is tried again for unknownOutcomeMsMax, then the outcome is unknown", async () => {
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  for (const [ms, sendings] of [
    [limits.unknownOutcomeMsMax - 1, 2],
    [limits.unknownOutcomeMsMax, 2],
    [limits.unknownOutcomeMsMax + 1, 1],
  ] as const) {
    let sent = 0;
    now.mockReturnValue(0);
    const lost: Pick<Database, "append" | "appendWaiting"> = {
      async append() {
        sent += 1;
        now.mockReturnValue(sent === 1 ? ms : ms * 2 + 2);
        throw Object.assign(new Error("the connection broke"), { code: "CONNECTION_CLOSED" });
      },
      appendWaiting: () => Promise.reject(new Error("nothing is held")),
    };
    const appender = startAppender({
      database: lost,
      metrics: createMetrics(),
      onPosted: () => undefined,
      onDuplicate: () => undefined,
    });
    const error = await appender.append(row()).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(MerkleError);
    expect(error).toMatchObject({ code: "unavailable", details: { outcome: "unknown" } });
    expect(sent, `${ms} ms`).toBe(sendings);
    await appender.stop();
  }
});
