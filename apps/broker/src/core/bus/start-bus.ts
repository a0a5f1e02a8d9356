import type { ConnectionTarget } from "@merkle/db";
import type { Log } from "../log.js";
import { type Bus, startLocalBus } from "./bus.js";
import { startNatsBus } from "./nats-bus.js";
import { startPostgresBus } from "./postgres-bus.js";

/** `local`, `postgres`, or the address of a NATS server: `nats://` or `tls://`. */
export type BusAddress = string;

/** Starts the bus at an address. The bus connects only nodes that use the same database. */
export async function startBus(options: {
  readonly address: BusAddress;
  readonly target: ConnectionTarget;
  /** The broker's id, which is stored in its database. */
  readonly brokerId: string;
  readonly nodeId: string;
  /**
   * A secret shared by all nodes of a database and stored outside it. A client with access only to the bus
   * therefore cannot sign hints (NODE-15).
   */
  readonly secret: string;
  readonly log: Log;
}): Promise<Bus> {
  const { address, target, log } = options;
  if (address === "local") return startLocalBus();
  const { nodeId, secret } = options;
  const identity = { nodeId, secret, channel: `merkle_${options.brokerId.replaceAll("-", "")}` };
  if (address === "postgres") return startPostgresBus({ target, identity, log });
  return startNatsBus({ url: address, identity, log });
}
