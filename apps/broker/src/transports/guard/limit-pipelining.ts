import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes a connection that has more unanswered pipelined requests than any normal client sends (GUARD-9).
 * Each request and its reply stay in memory until the earlier requests are answered.
 */
export function limitPipelining(server: Server, countMax: number): void {
  const counts = new WeakMap<Socket, number>();
  server.prependListener("request", ({ socket }, response) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    response.once("close", () => counts.set(socket, (counts.get(socket) ?? 1) - 1));
    if (count > countMax) socket.destroy();
  });
}
