import type { Server, Socket } from "node:net";
import { limits } from "@merkle/wire";
import type { Arrivals } from "../access/arrival.js";
import type { Metrics } from "../metrics.js";
import { toAddressBlock } from "./address-block.js";
import { createRefusedConnections, type RefusedBounds } from "./refused-connections.js";
import { stopReading, takeAccepted } from "./socket-handles.js";

export interface ConnectionBounds {
  /** So many connections one address may have, idle ones and those that still say nothing included. */
  readonly perAddressMax: number;
  readonly addressOf: Arrivals["addressOf"];
  /** Whether an address has asked too often to be heard at all. */
  readonly isDeafTo: (address: string) => boolean;
  /** Has a connection of an address begun when it is that one's turn, which may be at once. */
  readonly inTurn: (address: string, begin: () => void) => void;
  /** Asked once about each connection that is let in: whether it has a refusal of its address for itself until it asks for something. */
  readonly putOnTrial?: (socket: Socket, address: string) => boolean;
  readonly metrics: Pick<Metrics, "refusals">;
  /** How those beyond the bound are ended. */
  readonly refused?: Partial<RefusedBounds>;
}

const refusedUsual: RefusedBounds = { heldMs: 2_000, countMax: limits.refusedConnectionsMax };

/**
 * Ends what an address opens beyond its bound, before a byte of it is read (GUARD-8). A trusted proxy speaks for many, and
 * has none: its clients are counted by their requests. To be called when the server's own listeners are set: what is ended
 * reaches none of them, so that neither a parser nor a handshake is begun for it.
 *
 * @returns ends those that are being ended at once, so that the server can stop
 */
export function boundConnections(
  server: Server,
  { perAddressMax, addressOf, isDeafTo, inTurn, putOnTrial, metrics, refused }: ConnectionBounds,
): () => void {
  const ending = createRefusedConnections({ ...refusedUsual, ...refused });
  const open = new Map<string, number>();

  function leave(block: string): void {
    const left = (open.get(block) ?? 1) - 1;
    if (left === 0) open.delete(block);
    else open.set(block, left);
  }

  function mayEnter(address: string): boolean {
    return (open.get(toAddressBlock(address)) ?? 0) < perAddressMax && !isDeafTo(address);
  }

  function enter(socket: Socket, address: string): void {
    const block = toAddressBlock(address);
    open.set(block, (open.get(block) ?? 0) + 1);
    socket.once("close", () => leave(block));
  }

  function refuse(close: () => void): void {
    metrics.refusals.inc({ by: "connections" });
    ending.end(close);
  }

  function refuseSocket(socket: Socket): void {
    stopReading(socket);
    socket.on("error", () => undefined);
    refuse(() => socket.destroy());
  }

  takeAccepted(server, ({ remoteAddress, end }) => {
    const address = addressOf({ remoteAddress });
    if (address === null || mayEnter(address)) return false;
    refuse(end);
    return true;
  });

  const listeners = server.listeners("connection");
  function begin(socket: Socket): void {
    for (const listener of listeners) listener.call(server, socket);
  }

  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket);
    if (address === null) return begin(socket);
    if (!mayEnter(address)) return refuseSocket(socket);
    enter(socket, address);
    const onTrial = putOnTrial?.(socket, address) ?? false;
    // Until it has begun nobody else hears of one that breaks.
    socket.on("error", () => undefined);
    inTurn(address, () => {
      if (socket.destroyed) return;
      if (!onTrial && isDeafTo(address)) return refuseSocket(socket);
      begin(socket);
    });
  });
  return ending.endAll;
}
