import type { StateChangeFrame } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createStatePushes } from "./state-pushes.js";
import type { Sink } from "./subscription.js";

/** Opens a sink that is full until the test reads it. */
function openSink() {
  const listeners = new Set<() => void>();
  const written: StateChangeFrame[] = [];
  let ready = false;
  const sink: Sink = {
    get isReady() {
      return ready;
    },
    room: Number.POSITIVE_INFINITY,
    write(frame: Buffer) {
      written.push(JSON.parse(frame.toString("utf8", frame.indexOf("{"))));
    },
    onDrain(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    sink,
    versions: () => written.map(({ key, version }) => `${key} ${version}`),
    listening: () => listeners.size,
    drain() {
      ready = true;
      for (const listener of listeners) listener();
    },
  };
}

function change(key: string, version: number, value: unknown = version, session: string | null = "s") {
  const by = { deleted: false, updatedBy: "Atlas", updatedAt: "2026-01-01T00:00:00.000Z" };
  return { type: "state_change", session_id: session, key, version, value, ...by } satisfies StateChangeFrame;
}

const never = () => expect.unreachable("It is not cut off.");

it("[STATE-10] who does not read gets the newest value of each key once it does, and nothing twice", () => {
  const pushes = createStatePushes();
  const slow = openSink();
  const receiver = pushes.open("mesh", slow.sink, never);
  const stops = [receiver.follow("s"), receiver.follow("s")];
  for (let version = 1; version <= 200; version += 1) pushes.push("mesh", change("a", version));
  pushes.push("mesh", change("b", 1));
  pushes.push("mesh", change("c", 1, 0, "another"));
  pushes.push("mesh", change("m", 1, 0, null));
  expect(slow.versions()).toEqual([]);
  slow.drain();
  expect(slow.versions()).toEqual(["a 200", "b 1", "m 1"]);
  pushes.push("mesh", change("b", 2));
  expect(slow.versions()).toHaveLength(4);
  for (const stop of stops) stop();
  pushes.push("mesh", change("b", 3));
  pushes.push("mesh", change("m", 2, 0, null));
  expect(slow.versions().slice(4)).toEqual(["m 2"]);
  receiver.end();
  expect(slow.listening()).toBe(0);
});

it("[STATE-10] an older version that is told later is left out", () => {
  const pushes = createStatePushes();
  const reader = openSink();
  reader.drain();
  pushes.open("mesh", reader.sink, never).follow("s");
  for (const version of [2, 1, 3, 3]) pushes.push("mesh", change("a", version));
  expect(reader.versions()).toEqual(["a 2", "a 3"]);
});

it("[STATE-10] [LIMIT-1] who is further behind than outboundBytesMax is cut off", () => {
  const pushes = createStatePushes();
  const slow = openSink();
  let cutOffs = 0;
  pushes
    .open("mesh", slow.sink, () => {
      cutOffs += 1;
    })
    .follow("s");
  const value = "x".repeat(limits.stateValueToldBytesMax - 2);
  const fitting = Math.floor(limits.outboundBytesMax / (value.length + 200));
  for (let key = 0; key < fitting; key += 1) pushes.push("mesh", change(`key ${key}`, 1, value));
  for (let key = 0; key < fitting; key += 1) pushes.push("mesh", change(`key ${key}`, 2, value));
  expect(cutOffs).toBe(0);
  for (let key = 0; key < fitting; key += 1) pushes.push("mesh", change(`more ${key}`, 1, value));
  expect(cutOffs).toBe(1);
  expect(slow.listening()).toBe(0);
});
