import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoredMessage } from "@merkle/db";
import { expect, it } from "vitest";
import { makeRow } from "../../../../../tests/kit/message-row.js";
import { createLog } from "../../core/log.js";
import { toStoredMessage } from "../../core/message.js";
import { createChannel, type SessionChannel } from "./channel.js";
import { startSubscription } from "./subscription.js";

const sessionId = "0d5c7f0e-8d0c-4a44-9f3d-0c9a3c7b5b1e";
const log = createLog(() => undefined);

function openChannel(): SessionChannel {
  const start = { sessionId, head: 0, isClosed: false, documentVersion: 0 };
  // An empty database, because everything that these tests read is in memory.
  const database = { orm: Object.create(null) };
  return createChannel(start, { database, budget: { bytes: 0 }, log });
}

function message(sequence: number, textBytes: number): StoredMessage {
  const content = JSON.stringify({ text: "x".repeat(textBytes) });
  return toStoredMessage(makeRow(sessionId, { content }), { sequence, postedAt: new Date(0) });
}

/**
 * Follows the channel from its head. Returns a function that lists the received sequences in order.
 */
function follow(channel: SessionChannel): { sequences: () => number[] } {
  const written: Buffer[] = [];
  startSubscription({
    channel,
    kind: "follow",
    after: channel.head,
    inbox: null,
    sink: {
      isReady: true,
      room: Number.POSITIVE_INFINITY,
      write: (frames) => written.push(frames),
      onDrain: () => () => undefined,
    },
    log,
    onDelivered: () => undefined,
  });
  return {
    sequences: () =>
      [
        ...Buffer.concat(written)
          .toString("latin1")
          .matchAll(/"sequence":(\d+)/g),
      ].map(([, n]) => Number(n)),
  };
}

it("[GUARD-16] many readers of much are brought it over some turns of the event loop, each everything once and in order", async () => {
  const channel = openChannel();
  const readers = Array.from({ length: 300 }, () => follow(channel));
  const reached = (sequence: number) =>
    readers.filter((reader) => reader.sequences().includes(sequence)).length;
  channel.accept([message(1, 16_000)]);
  const atOnce = reached(1);
  expect(atOnce).toBeGreaterThan(10);
  expect(atOnce).toBeLessThan(100);
  // Readers that attach during the wake-up, and messages that are posted during it, are not lost.
  const late = follow(channel);
  channel.accept([message(2, 16_000), message(3, 16_000)]);
  while (reached(3) < readers.length) await nextTurn();
  for (const reader of readers) expect(reader.sequences()).toEqual([1, 2, 3]);
  expect(late.sequences()).toEqual([2, 3]);
});

it("[GUARD-16] few readers, or many of little, are brought it at once", () => {
  const channel = openChannel();
  const readers = Array.from({ length: 50 }, () => follow(channel));
  channel.accept([message(1, 16_000)]);
  expect(readers.every((reader) => reader.sequences().length === 1)).toBe(true);
});

it("[GUARD-16] a reader that fails keeps nobody from what comes later", async () => {
  const channel = openChannel();
  let fails = true;
  channel.attach({
    wake() {
      if (fails) throw new Error("fails");
    },
  });
  const reader = follow(channel);
  expect(() => channel.accept([message(1, 10)])).toThrow("fails");
  fails = false;
  channel.accept([message(2, 10)]);
  expect(reader.sequences()).toEqual([1, 2]);
});

it("[WAIT-3] a sweep that sees a conclusion before it is here does not end the feed", () => {
  const channel = openChannel();
  channel.accept([message(1, 10)]);
  channel.closeAt(2);
  expect(channel.isClosed).toBe(false);
  channel.accept([message(2, 10)]);
  channel.closeAt(2);
  expect(channel.isClosed).toBe(true);
});
