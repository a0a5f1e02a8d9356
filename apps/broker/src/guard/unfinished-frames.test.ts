import { Duplex } from "node:stream";
import { type CloseReason, limits } from "@merkle/wire";
import { expect, it, onTestFinished, vi } from "vitest";
import { createUnfinishedFrames } from "./unfinished-frames.js";

interface Client {
  readonly ends: CloseReason[];
  /** Sends so many bytes of a frame of 60,000; from the first again when those before were all. */
  send(bytes: number): void;
  leave(): void;
}

const frameBytes = 60_000;
const wholeFrame = Buffer.concat([
  Buffer.from([0x81, 0xfe, frameBytes >> 8, frameBytes & 0xff]),
  Buffer.alloc(4 + frameBytes),
]);

function startGuard(bounds: { bytesMax?: number; msMax: number }) {
  const guard = createUnfinishedFrames(bounds);
  const connect = (address: string, isPaused = () => false): Client => {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    onTestFinished(() => void socket.destroy());
    const ends: CloseReason[] = [];
    const cutOff = (reason: CloseReason) => ends.push(reason);
    const ignored = { countPieces: () => undefined, crumbled: () => undefined };
    const frames = guard.watch({ socket, address, isPaused, ...ignored, cutOff });
    let sent = 0;
    return {
      ends,
      send(bytes) {
        frames.count(wholeFrame.subarray(sent, sent + bytes));
        sent = (sent + bytes) % wholeFrame.length;
      },
      leave: () => void socket.emit("close"),
    };
  };
  return { guard, connect };
}

it("[GUARD-15] [LIMIT-1] unfinishedFramesBytesMax are held; beyond it the address that holds the most loses its oldest frame", () => {
  expect(limits.unfinishedFramesBytesMax).toBeGreaterThan(10 * limits.frameBytesMax);
  const { connect } = startGuard({ bytesMax: 100_000, msMax: 60_000 });
  const honest = connect("honest");
  const first = connect("greedy");
  const second = connect("greedy");
  honest.send(20_000);
  first.send(35_000);
  second.send(35_000);
  expect(first.ends).toEqual([]);
  honest.send(10_000);
  expect([honest.ends, first.ends, second.ends]).toEqual([[], ["unfinished_frame"], []]);
  // Its bytes count no more, nor do those of frames that have ended or whose connection has.
  const third = connect("greedy");
  third.send(30_000);
  expect(second.ends).toEqual([]);
  honest.send(wholeFrame.length - 30_000);
  third.send(25_000);
  second.leave();
  const others = [connect("greedy"), connect("other")];
  for (const other of others) other.send(20_000);
  expect([honest, second, third, ...others].flatMap(({ ends }) => ends)).toEqual([]);
});

it("[GUARD-15] frames in tiny pieces count for what they take, and whole ones for nothing", () => {
  const { connect } = startGuard({ bytesMax: 20_000, msMax: 60_000 });
  const busy = connect("busy");
  const drips = connect("drips");
  for (let n = 0; n < 100; n += 1) busy.send(wholeFrame.length);
  for (let n = 0; n < 100; n += 1) drips.send(1);
  expect([busy.ends, drips.ends]).toEqual([[], ["unfinished_frame"]]);
});

it("[GUARD-15] a frame has as long as a request to arrive, unless the broker itself does not read on", () => {
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  now.mockReturnValue(1_000);
  const { guard, connect } = startGuard({ msMax: 60_000 });
  const paused = connect("a", () => true);
  const slow = connect("a");
  paused.send(10);
  slow.send(10);
  const later = connect("a");
  now.mockReturnValue(2_000);
  later.send(10);
  now.mockReturnValue(61_000);
  slow.send(10);
  guard.sweep();
  expect(slow.ends).toEqual([]);
  now.mockReturnValue(61_001);
  guard.sweep();
  expect([paused.ends, slow.ends, later.ends]).toEqual([[], ["unfinished_frame"], []]);
});
