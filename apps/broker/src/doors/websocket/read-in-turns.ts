import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

export interface ReadingOptions {
  readonly webSocket: Pick<WebSocket, "isPaused">;
  /** The stream below it, of which nothing has been read yet. */
  readonly socket: Duplex;
  /** Does a piece of work when it is this client's turn, which may be at once. */
  readonly inTurn: (work: () => void) => void;
  /** Told of what has come before anything is made of it; false when nothing is to be. */
  readonly count: (chunk: Buffer) => boolean;
}

/** As much as is made into frames in one piece: tiny frames of so much take half a millisecond. */
const pieceBytes = 4_096;

/**
 * Has what a client sends made into frames when it is its turn (GUARD-18), where the library would do so as soon as it comes:
 * the system brings up to 64 KiB of each connection in one turn of the event loop, and tiny frames of so much take
 * milliseconds. What stands behind a piece waits until that is done, and for as long as the broker reads nothing of this
 * client: as bytes, of which thousands of frames that may not be answered yet are few. Meanwhile no more is read.
 */
export function readInTurns({ webSocket, socket, inTurn, count }: ReadingOptions): void {
  // The library's own, which makes frames of it.
  const listeners = socket.listeners("data");
  socket.removeAllListeners("data");
  let rest: Buffer | null = null;
  let isWaiting = false;

  function goOn(): void {
    while (rest !== null && !isWaiting && !webSocket.isPaused) {
      const piece: Buffer = rest.subarray(0, pieceBytes);
      rest = rest.length > pieceBytes ? rest.subarray(pieceBytes) : null;
      isWaiting = true;
      inTurn(() => {
        isWaiting = false;
        if (socket.destroyed) return;
        if (count(piece)) for (const listener of listeners) listener.call(socket, piece);
        goOn();
        if (isIdle() && !webSocket.isPaused) socket.resume();
      });
    }
  }

  function isIdle(): boolean {
    return rest === null && !isWaiting;
  }

  socket.on("data", (chunk: Buffer) => {
    rest = rest === null ? chunk : Buffer.concat([rest, chunk]);
    goOn();
    if (!isIdle()) socket.pause();
  });
  socket.on("resume", () => {
    goOn();
    if (!isIdle()) socket.pause();
  });
}
