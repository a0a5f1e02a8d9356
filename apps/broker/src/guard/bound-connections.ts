import type { Server, Socket } from "node:net";
import type { Arrivals } from "../access/arrival.js";
import type { Metrics } from "../metrics.js";
import { toAddressBlock } from "./address-block.js";

export interface ConnectionBounds {
  /** So many connections one address may have, idle ones and those that still say nothing included. */
  readonly perAddressMax: number;
  readonly addressOf: Arrivals["addressOf"];
  /** Whether an address has asked too often to be heard at all. */
  readonly isDeafTo: (address: string) => boolean;
  readonly metrics: Pick<Metrics, "refusals">;
}

/**
 * Ends what an address opens beyond its bound, before a byte of it is read (GUARD-8). A trusted proxy speaks for many, and
 * has none: its clients are counted by their requests.
 */
export function boundConnections(
  server: Server,
  { perAddressMax, addressOf, isDeafTo, metrics }: ConnectionBounds,
): void {
  const open = new Map<string, number>();

  function leave(block: string): void {
    const left = (open.get(block) ?? 1) - 1;
    if (left === 0) open.delete(block);
    else open.set(block, left);
  }

  server.prependListener("connection", (socket: Socket) => {
    const address = addressOf(socket);
    if (address === null) return;
    const block = toAddressBlock(address);
    const count = (open.get(block) ?? 0) + 1;
    if (count > perAddressMax || isDeafTo(address)) {
      metrics.refusals.inc({ by: "connections" });
      socket.destroy();
      return;
    }
    open.set(block, count);
    socket.once("close", () => leave(block));
  });
}
