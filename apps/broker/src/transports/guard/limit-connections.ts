import type { Server, Socket } from "node:net";
import { toAddressBlock } from "../../core/address-block.js";
import type { Metrics } from "../../core/metrics.js";
import type { OriginReader } from "../../identity/origin/request-origin.js";

export interface ConnectionBounds {
  /** Maximum number of connections from one address, including idle connections. */
  readonly perAddressMax: number;
  readonly addressOf: OriginReader["findAddress"];
  readonly metrics: Pick<Metrics, "refusals">;
}

/**
 * Closes the connections that an address opens beyond its limit, before an HTTP parser or TLS handshake starts
 * (GUARD-8). A trusted proxy has no limit, because it forwards the requests of many clients, and those requests
 * are limited instead. Call after the server's own listeners are set, because this listener must run before
 * them.
 */
export function limitConnections(
  server: Server,
  { perAddressMax, addressOf, metrics }: ConnectionBounds,
): void {
  const open = new Map<string, number>();
  const listeners = server.listeners("connection");

  function release(block: string): void {
    const remaining = (open.get(block) ?? 1) - 1;
    if (remaining === 0) open.delete(block);
    else open.set(block, remaining);
  }

  function tryAdmit(socket: Socket): boolean {
    const address = addressOf(socket);
    if (address === null) return true;
    const block = toAddressBlock(address);
    const count = open.get(block) ?? 0;
    if (count >= perAddressMax) return false;
    open.set(block, count + 1);
    socket.once("close", () => release(block));
    return true;
  }

  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (tryAdmit(socket)) {
      for (const listener of listeners) listener.call(server, socket);
      return;
    }
    metrics.refusals.inc({ by: "connections" });
    socket.destroy();
  });
}
