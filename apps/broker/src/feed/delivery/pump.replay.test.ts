import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createTestSession } from "../../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { advancePump, type PumpEvent, type PumpState } from "./pump.js";
import type { PumpChange } from "./subscription.js";

it("[WS-3] the events of a real run with a slow reader, replayed, lead to the same states", async () => {
  const changes: PumpChange[] = [];
  const record = (change: unknown) => changes.push(change as PumpChange);
  subscribe("merkle.pumps", record);
  onTestFinished(() => void unsubscribe("merkle.pumps", record));

  await readSlowly();

  const pumps = new Map<object, { start: PumpState; events: PumpEvent[]; end: PumpState }>();
  for (const { reader, before, event, after } of changes) {
    const run = pumps.get(reader) ?? { start: before, events: [], end: before };
    run.events.push(event);
    pumps.set(reader, { ...run, end: after });
  }
  expect(new Set(changes.map(({ event }) => event.type))).toEqual(new Set(["woken", "read", "stopped"]));
  expect(changes.some(({ event }) => event.type === "woken" && !event.canSend)).toBe(true);
  for (const { start, events, end } of pumps.values()) {
    const recorded: PumpEvent[] = JSON.parse(JSON.stringify(events));
    expect(recorded.reduce((state, event) => advancePump(state, event).state, start)).toEqual(end);
  }
});

/** Follows a feed that fills the connection, first without reading, and gets everything in order. */
async function readSlowly(): Promise<void> {
  const broker = await startTestBroker({}, onTestFinished, "the events are those of one process");
  const session = await createTestSession(await transports.rest(broker.url), "Read slowly");
  const socket = new WebSocket(`${broker.url.replace("http", "ws")}/ws`);
  const sequences: number[] = [];
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type === "message") sequences.push(frame.message.sequence);
  });
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  socket.send(
    JSON.stringify({ type: "subscribe", id: 1, kind: "follow", session_id: session.slug, after: 0 }),
  );
  await session.post(session.convener, "first");
  await expect.poll(() => sequences).toEqual([1]);
  socket.pause();
  const text = "x".repeat(60_000);
  for (let sequence = 2; sequence <= 150; sequence += 1) await session.post(session.convener, text);
  socket.resume();
  await expect.poll(() => sequences.length).toBe(150);
  expect(sequences).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
  socket.close();
  await once(socket, "close");
  await broker.stop();
}
