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
  /** What a new connection may have on its way; infinite for no bound at all. */
  readonly bytes?: number;
}

/** What the system takes for a connection is no less: beyond it, what waits in this process is the bound (WS-6). */
const provenBytes = 4 * 1024 * 1024;
const nonceBytes = 8;

export function createReadWindow({
  ask,
  opened,
  bytes = limits.unreadBytesMin,
}: ReadWindowOptions): ReadWindow {
  let window = bytes;
  let written = 0;
  let read = 0;
  let asked: { readonly nonce: Buffer; readonly written: number } | null = null;
  let closedSince: number | null = null;

  function askOn(): void {
    if (asked || written - read <= window / 2) return;
    asked = { nonce: randomBytes(nonceBytes), written };
    ask(asked.nonce);
  }

  return {
    get closedSince() {
      return closedSince;
    },
    get room() {
      return Math.max(0, window - (written - read));
    },
    wrote(count) {
      if (window === Number.POSITIVE_INFINITY) return;
      written += count;
      if (written - read > window) closedSince ??= performance.now();
      askOn();
    },
    answer(data) {
      // Nobody knows these bytes who has not read up to them.
      if (!asked?.nonce.equals(data)) return false;
      read = asked.written;
      asked = null;
      window = window >= provenBytes ? Number.POSITIVE_INFINITY : window * 2;
      // A long reply may have been written behind the question.
      askOn();
      if (closedSince !== null && written - read <= window) {
        closedSince = null;
        opened();
      }
      return true;
    },
  };
}
