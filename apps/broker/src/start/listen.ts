import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import { StartError } from "../core/start-error.js";
import { isLoopback } from "../identity/origin/auth-mode.js";
import type { HttpServer } from "../transports/http-server.js";
import type { ResolvedOptions } from "./broker-options.js";
import { describeOccupant } from "./occupant.js";

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Refuses a port that is in use, before anything is started.
 *
 * @throws StartError `port_in_use` with the program that uses the port
 */
export async function requireFreePort({ host, port }: ListenAddress): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  }).catch(async (error) => {
    throw await explainListen(error, { host, port });
  });
}

/** Starts listening. Resolves with the port. */
export async function listen({ server }: HttpServer, { host, port }: ResolvedOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch(async (error) => {
    throw await explainListen(error, { host, port });
  });
  // The server listens on a port, not on a pipe, so its address has this type.
  return (server.address() as AddressInfo).port;
}

async function explainListen(error: NodeJS.ErrnoException, { host, port }: ListenAddress): Promise<Error> {
  if (error.code === "EADDRINUSE") {
    const occupant = (await describeOccupant(toReachableHost(host), port)) ?? "another program";
    return new StartError(
      "port_in_use",
      `Port ${port} on ${host} is in use by ${occupant}. Stop it, or choose another port with --port.`,
      { cause: error },
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" || error.code === "EACCES") {
    return new StartError(
      "bad_address",
      `Cannot listen on ${host}:${port} (${error.code}). Choose an address of this machine with --host, and a port above 1023.`,
      { cause: error },
    );
  }
  return error;
}

/**
 * Describes another program that uses `localhost` at this port: a browser may try [::1] first, while the
 * broker listens on 127.0.0.1. Returns null if there is no such program.
 */
export async function findLocalhostOccupant(host: string, port: number): Promise<string | null> {
  const isIPv4 = host === "127.0.0.1" || host === "0.0.0.0";
  return isIPv4 ? describeOccupant("::1", port) : null;
}

/** Returns the host name to show to people: localhost for a loopback address or a wildcard. */
export function toDisplayHost(host: string): string {
  return isLoopback(host) || isWildcard(host) ? "localhost" : host;
}

/**
 * Returns a name that identifies this machine among the nodes (NODE-4). If only this machine can reach the
 * broker, its name is localhost.
 */
export function toNodeHost(host: string): string {
  return isWildcard(host) ? hostname() : toDisplayHost(host);
}

/** Returns the host name with which this machine can reach a server that listens on `host`. */
function toReachableHost(host: string): string {
  if (host === "::") return "::1";
  return host === "0.0.0.0" ? "127.0.0.1" : host;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
