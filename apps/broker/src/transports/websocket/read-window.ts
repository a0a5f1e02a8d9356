import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { limits } from "@merkle/wire/limits";

/**
 * Limits the bytes in flight to a client until it shows that it is reading (GUARD-17). If a client does not
 * read, the operating system buffers megabytes for its connection, and this process can neither see nor limit
 * these buffers. The broker therefore sends little at first, with a ping in the middle. Each answered ping
 * doubles the limit. Once a client has read a few megabytes, it is no longer checked.
 */
export interface ReadWindow {
  /** When more bytes than allowed were first in flight. Null while the window is open. */
  readonly closedSince: number | null;
  /** Number of additional bytes that may be in flight. */
  readonly room: number;
  /** Counts the bytes written to the client. */
  countWritten(bytes: number): void;
  /** Handles the payload of a pong. Returns whether the pong answers this window's ping. */
  answer(data: Buffer): boolean;
}

export interface ReadWindowOptions {
  /** Sends a ping with this nonce as its payload. */
  readonly ask: (nonce: Buffer) => void;
  /** Called when a closed window has opened again. */
  readonly onOpened: () => void;
  /** Number of bytes that may be in flight on a new connection. Infinity means no limit. */
  readonly bytes?: number;
}

/**
 * Once a client has read this much, the window no longer limits it. The operating system's buffers for a
 * connection are at least as large, and frames that wait in this process have a separate limit (WS-6).
 */
const provenBytes = 4 * 1024 * 1024;
const nonceBytes = 8;

export function createReadWindow(options: ReadWindowOptions): ReadWindow {
  return new NonceWindow(options);
}

/**
 * A class, because every connection has a window, and an object literal with getters takes several times as
 * much memory.
 */
class NonceWindow implements ReadWindow {
  readonly #ask: ReadWindowOptions["ask"];
  readonly #onOpened: ReadWindowOptions["onOpened"];
  #bytes: number;
  #written = 0;
  #read = 0;
  #pendingPing: { readonly nonce: Buffer; readonly written: number } | null = null;
  closedSince: number | null = null;

  constructor({ ask, onOpened, bytes = limits.unreadBytesMin }: ReadWindowOptions) {
    this.#ask = ask;
    this.#onOpened = onOpened;
    this.#bytes = bytes;
  }

  get room(): number {
    return Math.max(0, this.#bytes - this.#unread);
  }

  countWritten(count: number): void {
    if (this.#bytes === Number.POSITIVE_INFINITY) return;
    this.#written += count;
    if (this.#unread > this.#bytes) this.closedSince ??= performance.now();
    this.#askIfNeeded();
  }

  answer(data: Buffer): boolean {
    // Only a client that has read everything up to the ping can repeat the nonce.
    if (!this.#pendingPing?.nonce.equals(data)) return false;
    this.#read = this.#pendingPing.written;
    this.#pendingPing = null;
    this.#bytes = this.#bytes >= provenBytes ? Number.POSITIVE_INFINITY : this.#bytes * 2;
    // A long reply may have been written since the ping, so another ping may be needed.
    this.#askIfNeeded();
    if (this.closedSince !== null && this.#unread <= this.#bytes) {
      this.closedSince = null;
      this.#onOpened();
    }
    return true;
  }

  get #unread(): number {
    return this.#written - this.#read;
  }

  #askIfNeeded(): void {
    if (this.#pendingPing || this.#unread <= this.#bytes / 2) return;
    this.#pendingPing = { nonce: randomBytes(nonceBytes), written: this.#written };
    this.#ask(this.#pendingPing.nonce);
  }
}
