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
 * milliseconds. While something waits no more of that connection is read.
 */
export function readInTurns({ webSocket, socket, inTurn, count }: ReadingOptions): void {
  // The library's own, which makes frames of it.
  const listeners = socket.listeners("data");
  socket.removeAllListeners("data");
  let waiting = 0;
  let isHeldBack = false;

  function take(piece: Buffer): void {
    waiting += 1;
    inTurn(() => {
      waiting -= 1;
      if (socket.destroyed) return;
      if (count(piece)) for (const listener of listeners) listener.call(socket, piece);
      if (!isHeldBack || waiting > 0) return;
      isHeldBack = false;
      if (!webSocket.isPaused) socket.resume();
    });
  }

  socket.on("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += pieceBytes) take(chunk.subarray(at, at + pieceBytes));
    if (waiting === 0) return;
    isHeldBack = true;
    socket.pause();
  });
}
