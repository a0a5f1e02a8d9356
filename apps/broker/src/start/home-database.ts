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
  /**
   * What to do if a running broker has locked the home: connect to its database too (`join`), or throw
   * (`refuse`).
   */
  readonly whenHeld: "join" | "refuse";
}

/**
 * Runs `work` with a home's database, for tools other than the broker. If no broker has locked the home, this
 * function locks it while `work` runs, so that no broker can start. If the embedded PostgreSQL is started, it
 * is always stopped at the end.
 *
 * @throws EmbeddedPostgresError, such as `home_in_use` if a broker has locked the home and `whenHeld` is
 * `refuse`
 */
export async function withHomeDatabase<Result>(
  { home, databaseUrl, whenHeld }: HomeDatabaseOptions,
  work: (target: ConnectionTarget) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined && whenHeld === "join") return work(databaseUrl);
  const lock = await tryLock(home, whenHeld);
  if (!lock) return work(await getRunningServer(home));
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
    const isInUse = error instanceof EmbeddedPostgresError && error.code === "home_in_use";
    if (isInUse && whenHeld === "join") return undefined;
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

/** Returns whether the embedded PostgreSQL has ever run in this home. */
export async function hasDatabase(home: string): Promise<boolean> {
  return (await listMajors(home)).length > 0;
}

/**
 * Returns the address of a running broker's PostgreSQL, from PostgreSQL's own pid file. The server belongs to
 * the broker, which may stop it at any time.
 */
async function getRunningServer(home: string): Promise<ConnectionTarget> {
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
