import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { StartError } from "../core/start-error.js";
import { isLoopback } from "../identity/origin/auth-mode.js";
import type { HttpServer } from "../transports/http-server.js";
import type { Resolved } from "./broker-options.js";

/** Has the server take calls, and resolves with its port. */
export async function listen({ server }: HttpServer, { host, port }: Resolved): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explainListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  // A server that listens on a port, not on a pipe, has an address of this form.
  return (server.address() as AddressInfo).port;
}

function explainListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new StartError(
      "port_in_use",
      `Port ${port} on ${host} is in use. Stop what uses it (perhaps merkle down), or choose another with --port.`,
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

/** Returns the name that people type: localhost rather than 127.0.0.1, and for a wildcard this machine. */
export function nameToShow(host: string): string {
  return isLoopback(host) || isWildcard(host) ? "localhost" : host;
}

/** Returns the name that tells this machine from those of other nodes (NODE-4), which one that only this machine reaches has not. */
export function nameAmongNodes(host: string): string {
  return isWildcard(host) ? hostname() : nameToShow(host);
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
