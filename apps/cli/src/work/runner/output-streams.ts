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
