import { EventEmitter } from "node:events";
import { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished, vi } from "vitest";
import { createUnfinishedMessages, type UnfinishedBounds } from "./unfinished-messages.js";

function startGuard(bounds: UnfinishedBounds) {
  const unfinished = createUnfinishedMessages(bounds);
  function connect() {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    onTestFinished(() => void socket.destroy());
    const webSocket = Object.assign(new EventEmitter(), { isPaused: false });
    const ends: CloseReason[] = [];
    const arriving = unfinished.watch({ webSocket, socket, cutOff: (reason) => ends.push(reason) });
    const send = (bytes: number) => void socket.emit("data", Buffer.alloc(bytes));
    // Sends a complete message. The library reports a chunk's messages before the guard counts the
    // chunk.
    const sendWhole = (bytes: number) => {
      arriving.onMessage();
      send(bytes);
    };
    const sendControl = (bytes: number) => {
      arriving.onControlFrame(Buffer.alloc(bytes));
      send(6 + bytes);
    };
    return { webSocket, send, sendWhole, sendControl, ends };
  }
  return { connect, sweep: unfinished.sweep };
}

it("[GUARD-15] [LIMIT-1] messages that have not ended hold unfinishedFramesBytesMax together; beyond it the oldest ends", () => {
  expect(limits.unfinishedFramesBytesMax).toBeGreaterThan(10 * limits.frameBytesMax);
  const { connect } = startGuard({ msMax: 1_000, bytesMax: 100 });
  const [whole, oldest, newest] = [connect(), connect(), connect()];
  for (let n = 0; n < 10; n += 1) {
    whole.send(60);
    whole.sendWhole(60);
  }
  oldest.send(40);
  newest.send(60);
  expect([oldest.ends, newest.ends]).toEqual([[], []]);
  newest.send(1);
  expect([whole.ends, oldest.ends, newest.ends]).toEqual([[], ["unfinished_frame"], []]);
  // Once the guard has ended a connection, the connection's bytes are freed and it is not ended
  // again.
  newest.webSocket.emit("close");
  whole.send(100);
  expect([whole.ends, newest.ends]).toEqual([[], []]);
});

it("[GUARD-15] a message has msMax to arrive, pings aside and times in which the broker does not read on", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const { connect, sweep } = startGuard({ msMax: 1_000 });
  const [slow, paused, listening, quick] = [connect(), connect(), connect(), connect()];
  paused.webSocket.isPaused = true;
  for (const each of [slow, paused, quick]) each.send(10);
  listening.sendControl(8);
  now.mockReturnValue(1_000);
  // A ping in the middle of a message is not part of the message and does not end it.
  slow.sendControl(0);
  quick.sendWhole(10);
  quick.send(10);
  sweep();
  expect([slow, paused, listening, quick].flatMap(({ ends }) => ends)).toEqual([]);
  now.mockReturnValue(1_001);
  sweep();
  expect([slow, paused, listening, quick].map(({ ends }) => ends)).toEqual([
    ["unfinished_frame"],
    [],
    [],
    [],
  ]);
});
