import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionTarget } from "@merkle/db";
import {
  BROKER_ROLE,
  EmbeddedPostgresError,
  type HomeLock,
  listMajors,
  lockHome,
  startEmbeddedPostgres,
} from "@merkle/db/embedded";

export interface HomeDatabaseOptions {
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  /** The database of a broker that holds the home is used beside it (`join`) or left alone (`refuse`). */
  readonly whenHeld: "join" | "refuse";
}

/**
 * Gives `work` the database of a home, for something other than a broker. While no broker holds the home, it is held
 * here, so that none starts in the middle; and its PostgreSQL is started, and stopped at the end, whatever the end was.
 *
 * @throws EmbeddedPostgresError, such as `home_in_use` when a broker holds the home and may not be joined
 */
export async function withHomeDatabase<Result>(
  { home, databaseUrl, whenHeld }: HomeDatabaseOptions,
  work: (target: ConnectionTarget) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined && whenHeld === "join") return work(databaseUrl);
  const lock = await tryLock(home, whenHeld);
  if (!lock) return work(await runningServer(home));
  try {
    return await (databaseUrl === undefined ? withOwnServer(home, work) : work(databaseUrl));
  } finally {
    await lock.release();
  }
}

async function tryLock(home: string, whenHeld: "join" | "refuse"): Promise<HomeLock | undefined> {
  try {
    return await lockHome(home);
  } catch (error) {
    const held = error instanceof EmbeddedPostgresError && error.code === "home_in_use";
    if (held && whenHeld === "join") return undefined;
    throw error;
  }
}

async function withOwnServer<Result>(
  home: string,
  work: (target: ConnectionTarget) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres({ home });
  try {
    return await work(server.connection);
  } finally {
    await server.stop();
  }
}

/** Whether a PostgreSQL has ever run on this home. */
export async function hasDatabase(home: string): Promise<boolean> {
  return (await listMajors(home)).length > 0;
}

/**
 * Where the server of a running broker listens, as PostgreSQL itself wrote it down. It is not started or looked after
 * here: it is the broker's, which may stop it.
 */
async function runningServer(home: string): Promise<ConnectionTarget> {
  const folder = join(home, "pg");
  for (const major of await listMajors(home)) {
    const text = await readFile(join(folder, String(major), "postmaster.pid"), "utf8").catch(() => "");
    const [, , , port = "", socketFolder = ""] = text.split("\n").map((line) => line.trim());
    if (!/^\d+$/.test(port)) continue;
    const address = { port: Number(port), user: BROKER_ROLE, database: "merkle" };
    if (socketFolder !== "") return { host: socketFolder, ...address };
    const password = (await readFile(join(folder, "password"), "utf8")).trim();
    return { host: "127.0.0.1", ...address, password };
  }
  throw new EmbeddedPostgresError(
    "start_failed",
    `A broker is using ${home}, but its embedded PostgreSQL is not running: the broker is starting, stopping or using DATABASE_URL. Set the same DATABASE_URL here, or try again in a moment.`,
  );
}
