import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionTarget } from "@merkle/db";
import postgres from "postgres";
import { expect } from "vitest";
import {
  isServerRunning,
  type PostmasterFile,
  readPostmasterFile,
} from "../../packages/db/src/embedded/postmaster-file.js";
import {
  ask,
  makeTestHome,
  type TestHome,
  waitForPidExit,
} from "../../packages/db/src/embedded/test-support.js";
import { createTestDatabase } from "../kit/test-database.js";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.js";

/** The storage of a campaign's broker: its home and its database. */
export interface BrokerStorage {
  readonly home: string;
  /** The broker's database address. If undefined, the broker runs its own PostgreSQL in the home. */
  readonly databaseUrl?: string;
  /** Returns the direct address of the database server, for clients other than the broker. */
  target(): Promise<ConnectionTarget>;
  /** The proxy between the broker and the database server, if any. */
  readonly proxy: PostgresProxy | null;
  /** Returns the process id of the broker's own PostgreSQL, or undefined if it is not running and healthy. */
  postmasterPid(): Promise<number | undefined>;
  /** Resolves when a broker can be started. Resolves immediately if the broker starts its own PostgreSQL. */
  untilServed(): Promise<void>;
  /** Checks that the broker stopped its PostgreSQL. @throws if the server still runs */
  requireStopped(): Promise<void>;
  /** Removes all files and databases. */
  remove(): Promise<void>;
}

/** Creates a home in which the broker runs its embedded PostgreSQL. */
export async function makeEmbeddedStorage(): Promise<BrokerStorage> {
  return placeIn(await makeTestHome());
}

function placeIn(home: TestHome): BrokerStorage {
  return {
    home: home.path,
    proxy: null,
    async target() {
      const { socketFolder, port } = await requirePostmaster(home.path);
      return { host: socketFolder, port, user: "merkle", database: "merkle" };
    },
    async postmasterPid() {
      const found = await findPostmaster(home.path);
      return found && found.status === "ready" && isServerRunning(found.pid) ? found.pid : undefined;
    },
    untilServed: async () => undefined,
    async requireStopped() {
      const left = await findPostmaster(home.path);
      if (left && isServerRunning(left.pid))
        throw new Error(`PostgreSQL (pid ${left.pid}) outlived its broker.`);
    },
    remove: home.remove,
  };
}

/** Creates a home with a PostgreSQL that is independent of brokers and restarts whenever it exits. Several brokers can share it. */
export async function makeServedStorage(): Promise<BrokerStorage> {
  const home = await makeTestHome();
  const { connection } = await home.start({ reach: "tcp", connectionsMax: 200 });
  const { host, port, user, password = "", database } = connection;
  const databaseUrl = `postgres://${user}:${password}@${host}:${port}/${database}`;
  return {
    ...placeIn(home),
    databaseUrl,
    target: async () => databaseUrl,
    async untilServed() {
      await expect.poll(() => ask(connection, "SELECT")).toHaveLength(1);
    },
    requireStopped: async () => undefined,
  };
}

/** Creates a home, and a database on the shared test server behind a proxy. */
export async function makeProxiedStorage(): Promise<BrokerStorage> {
  const home = await makeTestHome();
  const drops: (() => Promise<void>)[] = [];
  const direct = new URL(await createTestDatabase((drop) => drops.push(drop)));
  const proxy = await startPostgresProxy({ host: direct.hostname, port: Number(direct.port) });
  const proxied = new URL(direct);
  proxied.port = String(proxy.port);
  return {
    home: home.path,
    databaseUrl: proxied.href,
    proxy,
    target: async () => direct.href,
    postmasterPid: async () => undefined,
    untilServed: async () => undefined,
    requireStopped: async () => undefined,
    async remove() {
      await proxy.stop();
      for (const drop of drops) await drop();
      await home.remove();
    },
  };
}

/** Opens a direct connection to the server, separate from the brokers' connections. */
export async function connectToStorage(storage: BrokerStorage): Promise<postgres.Sql> {
  const target = await storage.target();
  const options = { max: 1, onnotice: () => undefined };
  return typeof target === "string" ? postgres(target, options) : postgres({ ...Object(target), ...options });
}

/** Sends SIGKILL to the PostgreSQL server of this home. Resolves when the process has exited. */
export async function killPostmaster(home: string): Promise<void> {
  const { pid } = await requirePostmaster(home);
  process.kill(pid, "SIGKILL");
  await waitForPidExit(pid);
}

async function requirePostmaster(home: string): Promise<PostmasterFile> {
  const found = await findPostmaster(home);
  if (found) return found;
  throw new Error(`No PostgreSQL runs in ${home}.`);
}

async function findPostmaster(home: string): Promise<PostmasterFile | undefined> {
  const names = await readdir(join(home, "pg")).catch(() => []);
  const major = names.find((name) => /^\d+$/.test(name));
  return major === undefined ? undefined : readPostmasterFile(join(home, "pg", major));
}
