import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { on, once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createTestSession } from "../../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { advance, type CursorEvent, type Cursors } from "./cursors.js";
import type { CursorChange } from "./peer.js";

it("[CURSOR-2] the events of a real run, replayed, lead to the same cursors", async () => {
  const changes: CursorChange[] = [];
  const record = (change: unknown) => changes.push(change as CursorChange);
  subscribe("merkle.cursors", record);
  onTestFinished(() => void unsubscribe("merkle.cursors", record));

  const broker = await startTestBroker({}, onTestFinished, "the events are those of one process");
  await useEveryWayToRead(broker.url);

  const peers = new Map<string, { start: Cursors; events: CursorEvent[]; end: Cursors }>();
  for (const { peer, before, event } of changes) {
    const run = peers.get(peer.peerId) ?? { start: before, events: [], end: before };
    run.events.push(event);
    peers.set(peer.peerId, { ...run, end: peer.cursors });
  }
  expect(new Set(changes.map(({ event }) => event.type))).toEqual(
    new Set([
      "handedOut",
      "replied",
      "requested",
      "resumed",
      "acknowledged",
      "foundEmpty",
      "saved",
      "placed",
    ]),
  );
  for (const { start, events, end } of peers.values()) {
    const recorded: unknown = JSON.parse(JSON.stringify(events));
    const replayed = (recorded as CursorEvent[]).reduce(
      (state, event) => advance(state, event).cursors,
      start,
    );
    expect(replayed).toEqual(end);
  }
});

async function useEveryWayToRead(url: string): Promise<void> {
  const rest = await transports.rest(url);
  const session = await createTestSession(rest, "Every way to read");
  const { credential } = await session.join("Oak");
  const oak = { session_id: session.sessionId, team_id: credential };
  for (let round = 0; round < 5; round += 1) {
    const { cursor } = await session.post(session.convener, `one of round ${round}`);
    await rest.call("check_messages", oak);
    await session.post(session.convener, `two of round ${round}`);
    await rest.call("wait_for_messages", { ...oak, timeout: 0 });
    await rest.call("wait_for_messages", { ...oak, since_cursor: cursor, timeout: 0 });
    await rest.call("get_history", oak);
    const { messages, receipt } = await rest.call("wait_for_messages", { ...oak, timeout: 0 });
    await rest.call("check_messages", { ...oak, ...(receipt !== undefined && { receipt }) });
    await rest.call("ack", { ...oak, cursor: messages.at(-1)?.sequence ?? cursor });
  }
  await rest.call("join_session", { ...oak, team_name: "Oak", replay_from: 2 });
  await readInbox(url, oak);
}

async function readInbox(url: string, oak: { session_id: string; team_id: string }): Promise<void> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  onTestFinished(() => socket.close());
  await once(socket, "open");
  const frames = on(socket, "message");
  socket.send(JSON.stringify({ type: "subscribe", id: 1, kind: "inbox", ...oak }));
  for await (const [data] of frames) {
    if (JSON.parse(String(data)).type === "message") return;
  }
}
