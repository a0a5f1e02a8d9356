import type { Readable } from "node:stream";

const fastBytes = 16 * 1024 * 1024;
const tickMs = 6;

/**
 * Reads a stream to its end and gives away each piece, keeping nothing. Who writes more than 16 MiB waits from there on: after each
 * piece, which is at most 64 KiB, come some milliseconds in which this process does other things. What is read is garbage, and 64 MiB
 * of it have the engine look through all that it holds: slowly, they are cleared away before.
 */
export function drain(stream: Readable, onPiece: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    let read = 0;
    stream.on("data", (piece: Buffer) => {
      onPiece(piece);
      read += piece.length;
      if (read < fastBytes) return;
      stream.pause();
      setTimeout(() => stream.resume(), tickMs);
    });
    stream.once("close", resolve);
    // A pipe that breaks is one that has ended.
    stream.on("error", () => undefined);
  });
}
