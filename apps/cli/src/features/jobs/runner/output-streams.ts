import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

/** Keeps the last bytes of what is written to it. */
export class Tail {
  readonly #bytesMax: number;
  #kept: Buffer = Buffer.alloc(0);

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  write(piece: Buffer): void {
    // Copied, since a slice would keep the whole piece.
    this.#kept = Buffer.concat([this.#kept, piece.subarray(-this.#bytesMax)]).subarray(-this.#bytesMax);
    if (this.#kept.buffer.byteLength > 4 * this.#bytesMax) this.#kept = Buffer.from(this.#kept);
  }

  /** As text that can be stored, without colours and without these secrets; of at most as many bytes. */
  text(secrets: readonly string[]): string {
    // A character that was cut, and NUL, which no database takes.
    const whole = stripVTControlCharacters(this.#kept.toString("utf8").replace(/^\ufffd+/, "")).replaceAll(
      "\0",
      "",
    );
    let text = whole;
    for (const secret of secrets) text = text.replaceAll(secret, "(secret)");
    while (Buffer.byteLength(text) > this.#bytesMax) text = text.slice(Math.max(1, text.length >> 4));
    return text.trim();
  }
}

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
