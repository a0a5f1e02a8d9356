import type { Duplex } from "node:stream";
import { limits } from "@merkle/wire";

const msMax = 2_000;
/** What was on its way, and the rest of a frame that was too large; no flood. */
const bytesMax = { ordinary: 64 * 1024, tooLarge: 2 * limits.frameBytesMax } as const;

/**
 * Ends a connection whose client has been told why, soon and whatever it does: what it goes on to send is read, since unread
 * it would keep the client from seeing the last word, but for a moment and in small amounts.
 */
export function sayFarewell(socket: Duplex, kind: keyof typeof bytesMax = "ordinary"): void {
  let bytes = 0;
  const deadline = setTimeout(() => socket.destroy(), msMax).unref();
  socket.once("close", () => clearTimeout(deadline));
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax[kind]) socket.destroy();
  });
}
