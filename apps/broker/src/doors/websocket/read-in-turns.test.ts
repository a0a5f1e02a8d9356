import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { readInTurns } from "./read-in-turns.js";

/** A connection, and the work of it that waits for its turn. */
function startReading(webSocket = { isPaused: false }) {
  const socket = new PassThrough();
  const made: Buffer[] = [];
  const counted: Buffer[] = [];
  const waiting: (() => void)[] = [];
  socket.on("data", (piece: Buffer) => made.push(piece));
  readInTurns({
    webSocket,
    socket,
    inTurn: (work) => void waiting.push(work),
    count: (piece) => counted.push(piece) > 0 && !piece.includes("nothing"),
  });
  return { socket, made, counted, waiting };
}

it("[GUARD-18] makes frames of no more than 4 KiB in one piece, in their order, each counted before", async () => {
  const { socket, made, counted, waiting } = startReading();
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, n) => n % 251));
  socket.write(sent);
  await nextTurn();
  expect(waiting).toHaveLength(1);
  // Each brings the next.
  for (const work of waiting) {
    work();
    expect(counted).toHaveLength(made.length);
  }
  expect(made.map(({ length }) => length)).toEqual([4_096, 4_096, 1_808]);
  expect(Buffer.concat(made)).toEqual(sent);
});

it("[GUARD-18] reads on when nothing waits any more", async () => {
  const { socket, made, waiting } = startReading();
  socket.write(Buffer.alloc(5_000));
  await nextTurn();
  waiting.shift()?.();
  expect(socket.isPaused()).toBe(true);
  socket.write("next");
  await nextTurn();
  expect(waiting).toHaveLength(1);
  waiting.shift()?.();
  expect(socket.isPaused()).toBe(false);
  await nextTurn();
  waiting.shift()?.();
  expect(String(made.at(-1))).toBe("next");
});

it("[GUARD-18] gives nothing on of which nothing is to be made", async () => {
  const { socket, made, counted, waiting } = startReading();
  socket.write("make nothing of it");
  await nextTurn();
  waiting.shift()?.();
  expect([counted.length, made.length]).toEqual([1, 0]);
});

it("[GUARD-18] drops what waits of a connection that is gone", async () => {
  const { socket, made, waiting } = startReading();
  socket.write("late");
  await nextTurn();
  socket.destroy();
  waiting.shift()?.();
  expect(made).toEqual([]);
});

it("[GUARD-18] what stands behind a piece stays bytes for as long as nothing is read of the client", async () => {
  const webSocket = { isPaused: false };
  const { socket, made, waiting } = startReading(webSocket);
  socket.write(Buffer.alloc(9_000));
  await nextTurn();
  webSocket.isPaused = true;
  waiting.shift()?.();
  expect([made.length, waiting.length]).toEqual([1, 0]);
  webSocket.isPaused = false;
  socket.resume();
  await nextTurn();
  for (const work of waiting) work();
  expect(made.map(({ length }) => length)).toEqual([4_096, 4_096, 808]);
});
