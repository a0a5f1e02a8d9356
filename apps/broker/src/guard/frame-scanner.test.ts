import { limits } from "@merkle/wire";
import { expect, it } from "vitest";
import { createFrameScanner, smallPieceBytes } from "./frame-scanner.js";

function frame(size: number, { opcode = 1, last = true } = {}): Buffer {
  const head =
    size < 126
      ? [0x80 | size]
      : size < 65_536
        ? [0xfe, size >> 8, size & 0xff]
        : [0xff, 0, 0, 0, 0, size >>> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff];
  // What looks like heads, in the payload, is none.
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode, ...head]), Buffer.alloc(4 + size, 0x01)]);
}

it("[GUARD-15] a message that has come is unfinished no more, whatever its length and however its bytes come", () => {
  const messages = [0, 1, 125, 126, 65_535, 65_536].map((size) => frame(size));
  for (const chunkBytes of [3, 7, 4_096, 1_000_000]) {
    const scanner = createFrameScanner();
    for (const message of messages) {
      let miscounted = 0;
      for (let at = 0; at < message.length; at += chunkBytes) {
        scanner.take(message.subarray(at, at + chunkBytes));
        const soFar = Math.min(at + chunkBytes, message.length);
        if (scanner.unfinished.bytes !== (soFar < message.length ? soFar : 0)) miscounted += 1;
      }
      expect(miscounted, `${message.length} bytes, ${chunkBytes} at a time`).toBe(0);
    }
    scanner.take(Buffer.concat([...messages, frame(50).subarray(0, 20)]));
    expect(scanner.unfinished).toEqual({ bytes: 20, pieces: 0 });
  }
});

it("[GUARD-15] one in pieces is unfinished until the last has come, also with a ping between them", () => {
  const scanner = createFrameScanner();
  const first = frame(10, { last: false });
  const more = frame(10, { opcode: 0, last: false });
  const ping = frame(3, { opcode: 9 });
  expect(scanner.take(first.subarray(0, 9))).toBe(0);
  expect(scanner.take(first.subarray(9))).toBe(1);
  expect(scanner.unfinished).toEqual({ bytes: first.length, pieces: 1 });
  expect(scanner.take(Buffer.concat([ping, more]))).toBe(1);
  expect(scanner.unfinished).toEqual({ bytes: 2 * first.length + ping.length, pieces: 2 });
  expect(scanner.take(frame(10, { opcode: 0 }))).toBe(0);
  expect(scanner.unfinished).toEqual({ bytes: 0, pieces: 0 });
  scanner.take(Buffer.concat([first, frame(0, { opcode: 0 }), ping]));
  expect(scanner.unfinished.pieces).toBe(0);
});

it("[GUARD-10] a message may have some small pieces, and many that are none", () => {
  const max = limits.frameSmallFragmentsMax;
  const inPieces = (count: number, size: number) =>
    Buffer.concat([
      frame(size, { last: false }),
      ...Array(count - 1).fill(frame(size, { opcode: 0, last: false })),
      frame(1, { opcode: 0 }),
    ]);
  const scanner = createFrameScanner();
  // Pings between them are none, and each message begins anew.
  scanner.take(
    Buffer.concat([inPieces(max, smallPieceBytes - 1), ...Array(100).fill(frame(1, { opcode: 9 }))]),
  );
  scanner.take(inPieces(1_000, smallPieceBytes));
  scanner.take(inPieces(max, 0));
  expect(scanner.isCrumbled).toBe(false);
  scanner.take(inPieces(max + 1, smallPieceBytes - 1));
  scanner.take(frame(10));
  expect(scanner.isCrumbled).toBe(true);
});
