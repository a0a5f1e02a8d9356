import type { Connection } from "./connection.js";

/** Lets a client's frames through as fast as its address may send them, in their order (GUARD-4). */
export interface FrameGate {
  /** @param receive - does what the frame asks for */
  take(receive: () => void): void;
  /** Drops what waits. */
  close(): void;
}

export interface FrameGateOptions {
  readonly connection: Pick<Connection, "rest">;
  /** Counts a frame, or says how many milliseconds it has to wait. */
  readonly admit: () => number;
}

/** Waiting less would be more work than the frames are. */
const waitMsMin = 20;

/**
 * A frame that comes too soon waits here, unread, and the connection reads nothing more meanwhile: what follows waits in the
 * network. So an honest client is late and misses nothing, and a flood costs its sender alone.
 */
export function createFrameGate({ connection, admit }: FrameGateOptions): FrameGate {
  // What had been read when the connection was told to rest; the network brings no more than some 100 KiB at a time.
  const waiting: (() => void)[] = [];
  let isClosed = false;

  function letThrough(): void {
    let through = 0;
    for (const receive of waiting) {
      const waitMs = admit();
      if (waitMs > 0) {
        connection.rest(Math.max(waitMs, waitMsMin), goOn);
        break;
      }
      through += 1;
      receive();
    }
    waiting.splice(0, through);
  }

  function goOn(): void {
    if (!isClosed) letThrough();
  }

  return {
    take(receive) {
      waiting.push(receive);
      if (waiting.length === 1) letThrough();
    },
    close() {
      isClosed = true;
      waiting.length = 0;
    },
  };
}
