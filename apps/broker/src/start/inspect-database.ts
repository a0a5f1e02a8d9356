import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionTarget, connectPool, DatabaseError, listTornDocumentsAt } from "@merkle/db";
import { hasDatabase, withHomeDatabase } from "./home-database.js";

export interface DatabaseInfo {
  readonly kind: "embedded" | "external";
  readonly version: string;
  /** Whether commits are synced to disk. */
  readonly fsync: boolean;
  readonly writable: boolean;
  /** The slugs of sessions whose document differs from its history. The next start repairs them. */
  readonly tornDocuments: readonly string[];
  /**
   * Whether the home already contains data. If not, the embedded PostgreSQL was tested in a temporary folder.
   */
  readonly hasData: boolean;
}

/**
 * Checks whether a broker could use its database, without changing it. If no broker is running, the embedded PostgreSQL is
 * started and stopped for the check.
 *
 * @throws DatabaseError or EmbeddedPostgresError with a sentence that names the problem and the remedy
 */
export async function inspectDatabase(options: {
  readonly home: string;
  readonly databaseUrl?: string | undefined;
}): Promise<DatabaseInfo> {
  const { home, databaseUrl } = options;
  const kind = databaseUrl === undefined ? "embedded" : "external";
  const hasData = kind === "external" || (await hasDatabase(home));
  const ask = (target: ConnectionTarget) => askServer(target);
  const serverFacts = hasData
    ? await withHomeDatabase({ home, databaseUrl, whenHeld: "join" }, ask)
    : await withTrialHome((trial) => withHomeDatabase({ home: trial, whenHeld: "refuse" }, ask));
  return { kind, hasData, ...serverFacts };
}

async function askServer(target: ConnectionTarget): Promise<Omit<DatabaseInfo, "kind" | "hasData">> {
  const connection = connectPool(target, 1);
  try {
    const [server] = await connection`
      SELECT current_setting('server_version') AS version, current_setting('fsync') = 'on' AS fsync,
             NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS writable`;
    return {
      version: String(server?.["version"]),
      fsync: server?.["fsync"] === true,
      writable: server?.["writable"] === true,
      tornDocuments: (await listTornDocumentsAt(connection)).map(({ slug }) => slug),
    };
  } catch (error) {
    throw new DatabaseError(
      "unreachable",
      `The database is not responding: ${error instanceof Error ? error.message || error.name : String(error)}. ` +
        "Start it, correct DATABASE_URL, or unset DATABASE_URL to use the embedded one.",
      { cause: error },
    );
  } finally {
    await connection.end({ timeout: 1 });
  }
}

async function withTrialHome<Result>(work: (home: string) => Promise<Result>): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "merkle-trial-"));
  try {
    // If root starts PostgreSQL, the server runs as another user, who must be able to enter this folder.
    await chmod(home, 0o711);
    return await work(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
