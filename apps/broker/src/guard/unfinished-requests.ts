import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Arrivals } from "../access/arrival.js";
import type { Metrics } from "../metrics.js";
import { toAddressBlock } from "./address-block.js";

export interface UnfinishedRequestBounds {
  /** How the server tells of a connection over which requests come. */
  readonly begun: "connection" | "secureConnection";
  readonly perAddressMax: number;
  readonly addressOf: Arrivals["addressOf"];
  /** Told of each connection that is ended. */
  readonly onEnded: (address: string) => void;
  readonly metrics: Pick<Metrics, "refusals">;
}

/** A connection from which a whole request has yet to come, as far as is known. */
interface Arriving {
  readonly socket: Duplex;
  readonly address: string;
  readonly block: string;
  /** The request whose head has come; null before the first one's has. */
  request: IncomingMessage | null;
}

/**
 * Bounds how many requests one address may have on their way, connections that say nothing yet included (GUARD-19): with one
 * more the oldest ends. An honest client's request is there within moments; what comes drop by drop over thousands of
 * connections wakes the broker for each drop. A trusted proxy speaks for many, and waits itself until a request is whole.
 */
export function boundUnfinishedRequests(
  server: Server,
  { begun, perAddressMax, addressOf, onEnded, metrics }: UnfinishedRequestBounds,
): void {
  const arrivingOf = new WeakMap<Duplex, Arriving>();
  /** The oldest of each address first. Those whose request has come since are found out when there is no room. */
  const blocks = new Map<string, Set<Arriving>>();

  function add(arriving: Arriving): void {
    const block = blocks.get(arriving.block) ?? new Set();
    blocks.set(arriving.block, block.add(arriving));
    if (block.size <= perAddressMax) return;
    for (const each of block) if (each.request?.complete) block.delete(each);
    if (block.size <= perAddressMax) return;
    const [oldest] = block;
    if (!oldest) return;
    remove(oldest);
    metrics.refusals.inc({ by: "unfinished" });
    onEnded(oldest.address);
    oldest.socket.destroy();
  }

  function remove(arriving: Arriving): void {
    const block = blocks.get(arriving.block);
    block?.delete(arriving);
    if (block?.size === 0) blocks.delete(arriving.block);
  }

  server.on(begun, (socket: Socket) => {
    const address = addressOf(socket);
    if (address === null) return;
    const arriving = { socket, address, block: toAddressBlock(address), request: null };
    arrivingOf.set(socket, arriving);
    socket.once("close", () => remove(arriving));
    add(arriving);
  });
  server.prependListener("request", (request) => {
    const arriving = arrivingOf.get(request.socket);
    if (!arriving) return;
    arriving.request = request;
    // It may have been found whole, and another one begins over the same connection.
    if (!blocks.get(arriving.block)?.has(arriving)) add(arriving);
  });
  // What follows over a WebSocket is bounded there.
  server.prependListener("upgrade", (_request, socket) => {
    const arriving = arrivingOf.get(socket);
    if (arriving) remove(arriving);
  });
}
