import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

export interface ReadingOptions {
  readonly webSocket: Pick<WebSocket, "isPaused">;
  /** The stream below it, of which nothing has been read yet. */
  readonly socket: Duplex;
  /** Does a piece of work when it is this client's turn, which may be at once. */
  readonly inTurn: (work: () => void) => void;
  /** Told of what has come before anything is made of it. */
  readonly count: (chunk: Buffer) => void;
}

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
  socket.on("data", (chunk: Buffer) => {
    waiting += 1;
    let waits = false;
    inTurn(() => {
      waiting -= 1;
      if (socket.destroyed) return;
      count(chunk);
      for (const listener of listeners) listener.call(socket, chunk);
      if (waits && waiting === 0 && !webSocket.isPaused) socket.resume();
    });
    waits = waiting > 0;
    if (waits) socket.pause();
  });
}
