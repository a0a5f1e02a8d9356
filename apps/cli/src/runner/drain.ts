import type { Readable } from "node:stream";

const tickMs = 5;
const bytesPerTick = 512 * 1024;

/**
 * Reads a stream to its end and gives away each piece. However much is written to it, reading takes no more than a small part
 * of this process's time, and keeps nothing: who writes faster than that waits.
 */
export function drain(stream: Readable, onPiece: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    let left = bytesPerTick;
    stream.on("data", (piece: Buffer) => {
      onPiece(piece);
      left -= piece.length;
      if (left > 0) return;
      stream.pause();
      setTimeout(() => {
        left = bytesPerTick;
        stream.resume();
      }, tickMs);
    });
    stream.once("close", resolve);
    // A pipe that breaks is one that has ended.
    stream.on("error", () => undefined);
  });
}
