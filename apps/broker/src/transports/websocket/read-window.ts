import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { limits } from "@merkle/wire/limits";

/**
 * How much may be on its way to a client before it shows that it reads (GUARD-17). The system takes megabytes for a
 * connection that nobody reads, which are neither seen nor bounded here. So a little is sent, with a ping in the middle; its
 * answer doubles what may be on its way, and a client that has read some megabytes is asked no more.
 */
export interface ReadWindow {
  /** Since when more is on its way than may be; null while it may go on. */
  readonly closedSince: number | null;
  /** How many more bytes may be on their way. */
  readonly room: number;
  /** Counts what is written to the client. */
  wrote(bytes: number): void;
  /** Takes what a pong brought, and says whether it answers what was asked. */
  answer(data: Buffer): boolean;
}

export interface ReadWindowOptions {
  /** Sends a ping with these bytes. */
  readonly ask: (nonce: Buffer) => void;
  /** Told when a closed window has opened. */
  readonly opened: () => void;
  /** The bytes that a new connection may have on its way; infinite for no bound at all. */
  readonly bytes?: number;
}

/**
 * A client that has read so much gets no bound here any more: the system takes no less for a connection, and what waits in
 * this process is bounded elsewhere (WS-6).
 */
const provenBytes = 4 * 1024 * 1024;
const nonceBytes = 8;

export function createReadWindow(options: ReadWindowOptions): ReadWindow {
  return new NonceWindow(options);
}

/** A class, since every connection has one: an object with getters of its own takes several times the memory. */
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
    // Nobody knows these bytes who has not read up to them.
    if (!this.#asked?.nonce.equals(data)) return false;
    this.#read = this.#asked.written;
    this.#asked = null;
    this.#bytes = this.#bytes >= provenBytes ? Number.POSITIVE_INFINITY : this.#bytes * 2;
    // A long reply may have been written behind the question.
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
