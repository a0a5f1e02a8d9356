import { randomBytes, randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { codeOf, EmbeddedPostgresError, explainingPath } from "./error.js";
import type { Place } from "./place.js";
import { makeSocketFolder } from "./socket-folder.js";

/** The name of the database, and of the superuser who made it: for a start alone. */
export const MERKLE = "merkle";

/** As whom the broker works: the owner of the database and of all in it, who reads no files and runs no programs of the server's. */
export const BROKER_ROLE = "merkle_broker";

/** Where the server listens. A socket is guarded by its folder; a port, which everybody here can reach, by a password. */
export type Endpoint =
  | { kind: "socket"; folder: string; port: number }
  | { kind: "tcp"; port: number; password: string };

/** The options by which the `postgres` package connects; it takes the folder of a socket as its host. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
}

export async function makeEndpoint(place: Place, major: number, kind: Endpoint["kind"]): Promise<Endpoint> {
  if (kind === "socket") {
    // A number of its own for each major, so that two can run side by side while data moves to the next.
    const port = 5400 + major;
    return { kind, folder: await makeSocketFolder(place, port), port };
  }
  return { kind, port: await findFreePort(), password: await readPassword(place) };
}

/**
 * The endpoint of a server that runs already, from what it wrote into postmaster.pid. Root does not go by that, which another user
 * wrote: its folder is always the same one.
 */
export function endpointOf(
  running: { port: number; socketFolder: string },
  expected: Endpoint,
  place: Pick<Place, "user">,
): Endpoint {
  if (expected.kind === "tcp") return { ...expected, port: running.port };
  if (place.user) return expected;
  return { kind: "socket", folder: running.socketFolder, port: running.port };
}

export function toConnection(endpoint: Endpoint, user: string = BROKER_ROLE): Connection {
  const who = { port: endpoint.port, user, database: MERKLE };
  if (endpoint.kind === "socket") return { host: endpoint.folder, ...who };
  return { host: "127.0.0.1", ...who, password: endpoint.password };
}

/** The address for psql and people. A socket's folder is a parameter, where it needs no escaping to be read. */
export function toUrl(endpoint: Endpoint): string {
  const { port } = endpoint;
  if (endpoint.kind === "tcp")
    return `postgres://${BROKER_ROLE}:${endpoint.password}@127.0.0.1:${port}/${MERKLE}`;
  const folder = encodeURIComponent(endpoint.folder).replaceAll("%2F", "/");
  return `postgres://${BROKER_ROLE}@localhost:${port}/${MERKLE}?host=${folder}`;
}

async function readPassword(place: Place): Promise<string> {
  const path = join(place.home, "pg", "password");
  return explainingPath(path, async () => {
    const password = randomBytes(24).toString("hex");
    try {
      await writeFile(path, password, { flag: "wx", mode: 0o600 });
      return password;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      return (await readFile(path, "utf8")).trim();
    }
  });
}

/** Below the numbers that systems give to whoever asks for any, so that no such one comes before the server does. */
const PORT_MIN = 20_000;
const PORT_END = 32_768;
const TRIES_MAX = 100;

/** A port nobody listens on. */
async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(PORT_MIN, PORT_END);
    if (await isFree(port)) return port;
  }
  throw new EmbeddedPostgresError("port_unavailable", "No free port was found on 127.0.0.1.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
