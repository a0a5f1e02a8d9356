import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Ends a connection over which more requests have come unanswered than anybody but a flood sends (GUARD-9): each of them, and
 * its answer, is held until those before it are answered.
 */
export function boundPipelining(server: Server, countMax: number): void {
  const counts = new WeakMap<Socket, number>();
  server.prependListener("request", ({ socket }, response) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    response.once("close", () => counts.set(socket, (counts.get(socket) ?? 1) - 1));
    if (count > countMax) socket.destroy();
  });
}
