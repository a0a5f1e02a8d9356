import type { Server, Socket } from "node:net";
import { toAddressBlock } from "../../core/address-block.js";
import type { Metrics } from "../../core/metrics.js";
import type { OriginReader } from "../../identity/origin/request-origin.js";

export interface ConnectionBounds {
  /** So many connections one address may have, idle ones and those that still say nothing included. */
  readonly perAddressMax: number;
  readonly addressOf: OriginReader["addressOf"];
  readonly metrics: Pick<Metrics, "refusals">;
}

/**
 * Ends what an address opens beyond its bound, before a parser or a TLS handshake is begun for it (GUARD-8). A trusted proxy
 * speaks for many, and has no bound: its clients are counted by their requests. To be called when the server's own listeners
 * are set, which what is ended does not reach.
 */
export function boundConnections(
  server: Server,
  { perAddressMax, addressOf, metrics }: ConnectionBounds,
): void {
  const open = new Map<string, number>();
  const listeners = server.listeners("connection");

  function leave(block: string): void {
    const left = (open.get(block) ?? 1) - 1;
    if (left === 0) open.delete(block);
    else open.set(block, left);
  }

  function mayEnter(socket: Socket): boolean {
    const address = addressOf(socket);
    if (address === null) return true;
    const block = toAddressBlock(address);
    const count = open.get(block) ?? 0;
    if (count >= perAddressMax) return false;
    open.set(block, count + 1);
    socket.once("close", () => leave(block));
    return true;
  }

  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (mayEnter(socket)) {
      for (const listener of listeners) listener.call(server, socket);
      return;
    }
    metrics.refusals.inc({ by: "connections" });
    socket.destroy();
  });
}
