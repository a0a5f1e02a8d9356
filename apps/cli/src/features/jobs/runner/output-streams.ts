import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

/** Keeps the last bytes written to a stream. */
export class Tail {
  readonly #bytesMax: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  write(piece: Buffer): void {
    // Copy the bytes, because a slice would keep the whole piece in memory.
    this.#bytes = Buffer.concat([this.#bytes, piece.subarray(-this.#bytesMax)]).subarray(-this.#bytesMax);
    if (this.#bytes.buffer.byteLength > 4 * this.#bytesMax) this.#bytes = Buffer.from(this.#bytes);
  }

  /**
   * Returns the retained bytes as text that is safe to store: colour codes and secrets are removed, and the
   * text is no longer than the stream's byte limit.
   */
  toText(secrets: readonly string[]): string {
    // Remove a character that was cut off at the start, and NUL, which the database cannot store.
    const whole = stripVTControlCharacters(this.#bytes.toString("utf8").replace(/^\ufffd+/, "")).replaceAll(
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
 * Reads a stream to its end, passing each piece to `onPiece`. After 16 MiB, the stream pauses for a few
 * milliseconds after each piece (at most 64 KiB), so that this process can do other work. The pauses also let
 * garbage be collected in small steps. Without them, reading 64 MiB would trigger a full garbage collection.
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
    // A broken pipe counts as the end of the stream.
    stream.on("error", () => undefined);
  });
}
