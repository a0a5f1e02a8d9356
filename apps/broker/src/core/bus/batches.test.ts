import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createLog } from "../log.js";
import { createBatches } from "./batches.js";
import { createHintListeners } from "./bus.js";
import type { SentHint } from "./hints.js";

const log = createLog(() => undefined);
const session = randomUUID();
const post = (sequence: number): SentHint => ["feed", { session, sequence, changes: [] }];
const settle: SentHint = ["settle", { id: randomUUID() }];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

function open() {
  const sent: unknown[] = [];
  const send = async (payloads: readonly string[]) => {
    for (const payload of payloads) sent.push(JSON.parse(payload).body.hints);
  };
  const identity = { nodeId: randomUUID(), secret: "secret", channel: "channel" };
  return { sent, batches: createBatches({ identity, listeners: createHintListeners(log), send, log }) };
}

it("[NODE-2] what comes after a pause is sent at once, and what comes soon after it together, later", async () => {
  const { sent, batches } = open();
  batches.add(post(1));
  await nextTurn();
  batches.add(post(2));
  batches.add(post(3));
  await nextTurn();
  expect(sent).toEqual([[post(1)]]);
  await vi.advanceTimersByTimeAsync(50);
  expect(sent).toEqual([[post(1)], [post(3)]]);
  await vi.advanceTimersByTimeAsync(50);
  batches.add(post(4));
  await nextTurn();
  expect(sent.at(-1)).toEqual([post(4)]);
});

it("[NODE-2] what somebody waits for takes along what waits", async () => {
  const { sent, batches } = open();
  batches.add(post(1));
  await nextTurn();
  batches.add(post(2));
  await nextTurn();
  batches.add(settle);
  await nextTurn();
  batches.add(settle);
  await nextTurn();
  expect(sent).toEqual([[post(1)], [post(2), settle], [settle]]);
});

it("[NODE-2] what waits is sent before the end, and nothing after it", async () => {
  const { sent, batches } = open();
  batches.add(post(1));
  await nextTurn();
  batches.add(post(2));
  const ended = batches.end();
  await vi.advanceTimersByTimeAsync(50);
  await ended;
  batches.add(post(3));
  expect(sent).toEqual([[post(1)], [post(2)]]);
});
