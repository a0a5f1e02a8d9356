import { randomBytes, randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { EmbeddedPostgresError, explainPathErrors, findErrorCode } from "./error.js";
import type { ServerPaths } from "./place.js";
import { makeSocketFolder } from "./socket-folder.js";

/**
 * Name of the database, and also of the superuser that created it. The superuser is used only while the
 * server starts.
 */
export const MERKLE = "merkle";

/**
 * The role that the broker connects as. It owns the database and everything in it, but cannot read files on
 * the server or run programs there.
 */
export const BROKER_ROLE = "merkle_broker";

/**
 * The address of an embedded server. A socket is protected by its folder. A port is open to everyone on this
 * machine, so it needs a password.
 */
export type Endpoint =
  | { kind: "socket"; folder: string; port: number }
  | { kind: "tcp"; port: number; password: string };

/** Connection options for the `postgres` package. For a socket, `host` is its folder. */
export interface PostgresConnection {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
}

export async function makeEndpoint(
  place: ServerPaths,
  major: number,
  kind: Endpoint["kind"],
): Promise<Endpoint> {
  if (kind === "socket") {
    // Each major version of PostgreSQL has its own number, so that two can run at the same time during an
    // upgrade.
    const port = 5400 + major;
    return { kind, folder: await makeSocketFolder(place, port), port };
  }
  return { kind, port: await findFreePort(), password: await readPassword(place) };
}

/**
 * Returns the endpoint of a running server, as written in its postmaster.pid. A broker that runs as root does
 * not trust the socket folder in that file, because another user wrote the file. It uses the folder that it
 * expects.
 */
export function resolveEndpoint(
  running: { port: number; socketFolder: string },
  expected: Endpoint,
  place: Pick<ServerPaths, "user">,
): Endpoint {
  if (expected.kind === "tcp") return { ...expected, port: running.port };
  if (place.user) return expected;
  return { kind: "socket", folder: running.socketFolder, port: running.port };
}

export function toConnection(endpoint: Endpoint, user: string = BROKER_ROLE): PostgresConnection {
  const login = { port: endpoint.port, user, database: MERKLE };
  if (endpoint.kind === "socket") return { host: endpoint.folder, ...login };
  return { host: "127.0.0.1", ...login, password: endpoint.password };
}

/**
 * Returns the server's address as a URL, for psql and for people. The path of a socket folder is passed as a
 * query parameter, where it needs little escaping.
 */
export function toUrl(endpoint: Endpoint): string {
  const { port } = endpoint;
  if (endpoint.kind === "tcp")
    return `postgres://${BROKER_ROLE}:${endpoint.password}@127.0.0.1:${port}/${MERKLE}`;
  const folder = encodeURIComponent(endpoint.folder).replaceAll("%2F", "/");
  return `postgres://${BROKER_ROLE}@localhost:${port}/${MERKLE}?host=${folder}`;
}

async function readPassword(place: ServerPaths): Promise<string> {
  const path = join(place.home, "pg", "password");
  return explainPathErrors(path, async () => {
    const password = randomBytes(24).toString("hex");
    try {
      await writeFile(path, password, { flag: "wx", mode: 0o600 });
      return password;
    } catch (error) {
      if (findErrorCode(error) !== "EEXIST") throw error;
      return (await readFile(path, "utf8")).trim();
    }
  });
}

/**
 * Lowest port number used. The range is below the one from which systems assign ports automatically, so that
 * no other program takes the port before the server does.
 */
const PORT_MIN = 20_000;
const PORT_END = 32_768;
const TRIES_MAX = 100;

/** Finds a port on which no program listens. */
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
