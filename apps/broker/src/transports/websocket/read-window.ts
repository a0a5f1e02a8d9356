import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { limits } from "@merkle/wire/limits";

/**
 * Limits the bytes in flight to a client until it shows that it reads (GUARD-17). The operating system buffers megabytes for
 * a connection that is not read, which this process can neither see nor limit. The broker therefore sends little at first,
 * with a ping in the middle. Each answered ping doubles the limit. A client that has read some megabytes is not checked any
 * further.
 */
export interface ReadWindow {
  /** Time since when more bytes are in flight than allowed. Null while the window is open. */
  readonly closedSince: number | null;
  /** Number of further bytes that may be in flight. */
  readonly room: number;
  /** Counts bytes written to the client. */
  wrote(bytes: number): void;
  /** Handles the payload of a pong. Returns whether it answers this window's ping. */
  answer(data: Buffer): boolean;
}

export interface ReadWindowOptions {
  /** Sends a ping with these bytes. */
  readonly ask: (nonce: Buffer) => void;
  /** Called when a closed window has opened. */
  readonly opened: () => void;
  /** Bytes that may be in flight to a new connection. Infinity means no limit. */
  readonly bytes?: number;
}

/**
 * A client that has read this much is no longer limited here. The system's buffers for a connection are at least as large,
 * and the frames that wait in this process are limited elsewhere (WS-6).
 */
const provenBytes = 4 * 1024 * 1024;
const nonceBytes = 8;

export function createReadWindow(options: ReadWindowOptions): ReadWindow {
  return new NonceWindow(options);
}

/** A class, because every connection has a window, and an object with getters takes several times the memory. */
class NonceWindow implements ReadWindow {
  readonly #ask: ReadWindowOptions["ask"];
  readonly #opened: ReadWindowOptions["opened"];
  #bytes: number;
  #written = 0;
  #read = 0;
  #asked: { readonly nonce: Buffer; readonly written: number } | null = null;
  closedSince: number | null = null;

  constructor({ ask, opened, bytes = limits.unreadBytesMin }: ReadWindowOptions) {
    this.#ask = ask;
    this.#opened = opened;
    this.#bytes = bytes;
  }

  get room(): number {
    return Math.max(0, this.#bytes - this.#unread);
  }

  wrote(count: number): void {
    if (this.#bytes === Number.POSITIVE_INFINITY) return;
    this.#written += count;
    if (this.#unread > this.#bytes) this.closedSince ??= performance.now();
    this.#askOn();
  }

  answer(data: Buffer): boolean {
    // Only a client that has read up to the ping knows these bytes.
    if (!this.#asked?.nonce.equals(data)) return false;
    this.#read = this.#asked.written;
    this.#asked = null;
    this.#bytes = this.#bytes >= provenBytes ? Number.POSITIVE_INFINITY : this.#bytes * 2;
    // A long reply may have been written after the ping.
    this.#askOn();
    if (this.closedSince !== null && this.#unread <= this.#bytes) {
      this.closedSince = null;
      this.#opened();
    }
    return true;
  }

  get #unread(): number {
    return this.#written - this.#read;
  }

  #askOn(): void {
    if (this.#asked || this.#unread <= this.#bytes / 2) return;
    this.#asked = { nonce: randomBytes(nonceBytes), written: this.#written };
    this.#ask(this.#asked.nonce);
  }
}
