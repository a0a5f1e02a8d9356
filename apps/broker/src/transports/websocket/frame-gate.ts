import { limits } from "@merkle/wire/limits";
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
  /** Told when more wait than may. */
  readonly overflow: () => void;
}

/** Waiting less would be more work than the frames are. */
const waitMsMin = 20;

/**
 * A frame that comes too soon waits here, unread, and the connection reads nothing more meanwhile: what follows waits in the
 * network. So an honest client is late and misses nothing, and a flood costs its sender alone. What had been read before is kept
 * up to a bound: tiny frames take many times their size in memory.
 */
export function createFrameGate({ connection, admit, overflow }: FrameGateOptions): FrameGate {
  const waiting: (() => void)[] = [];
  let isClosed = false;

  function admitOrRest(): boolean {
    const waitMs = admit();
    if (waitMs > 0) connection.rest(Math.max(waitMs, waitMsMin), goOn);
    return waitMs <= 0;
  }

  function goOn(): void {
    let through = 0;
    // A frame's work may close the gate, and so empty the list.
    for (const receive of waiting) {
      if (!admitOrRest()) break;
      through += 1;
      receive();
    }
    waiting.splice(0, through);
  }

  function close(): void {
    isClosed = true;
    waiting.length = 0;
  }

  return {
    take(receive) {
      if (isClosed) return;
      if (waiting.length === 0 && admitOrRest()) return receive();
      waiting.push(receive);
      if (waiting.length <= limits.waitingFramesPerConnectionMax) return;
      close();
      overflow();
    },
    close,
  };
}
