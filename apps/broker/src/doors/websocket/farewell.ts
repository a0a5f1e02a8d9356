import type { Duplex } from "node:stream";

const msMax = 2_000;
/** The rest of a frame that was too large, and no flood. */
const bytesMax = 4 * 1024 * 1024;

/**
 * Ends a connection whose client has been told why, soon and whatever it does: what it goes on to send is read, since unread
 * it would keep the client from seeing the last word, but for a moment and in small amounts.
 */
export function sayFarewell(socket: Duplex): void {
  let bytes = 0;
  const deadline = setTimeout(() => socket.destroy(), msMax).unref();
  socket.once("close", () => clearTimeout(deadline));
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) socket.destroy();
  });
}
