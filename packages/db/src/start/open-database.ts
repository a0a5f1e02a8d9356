import { randomUUID } from "node:crypto";
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { type ConnectionTarget, describeTarget } from "../core/connection.js";
import { DatabaseError, findDatabaseErrorCode } from "../core/database-error.js";
import { type MigrateOptions, migrate } from "../core/migrate.js";
import { readNewestMigration } from "../core/migrations.js";
import { renewClient } from "../core/renewed-client.js";
import * as schema from "../core/schema.js";
import { type Queryable, startTransactions, type Transaction } from "../core/transactions.js";
import { appendMessages } from "../feed/append-messages.js";
import type { AppendOutcome, MessageRow } from "../feed/message-row.js";
import { type ReadReplica, type ReadReplicaOptions, startReadReplica } from "./read-replica.js";
import { type WriteProblem, watchWrites } from "./write-health.js";

const transactionsMax = 6;

export interface Database {
  /**
   * Runs queries outside transactions. The object stays the same when the connections behind it are replaced.
   */
  readonly orm: Queryable;
  /** Identifies the database's current history. A restore sets a new epoch (DB-12). */
  readonly epoch: string;
  /** The broker's permanent id, by which members recognise it. A restore keeps this id. */
  readonly brokerId: string;
  /** Id of the main mesh, or of another mesh if this is a view of that mesh (`inMesh`). */
  readonly meshId: string;
  readonly serverVersion: string;
  readonly migrationsRun: number;
  /** Name of the newest migration that has run. */
  readonly newestMigration: string;
  /**
   * Runs read-only work, for histories and searches. Uses the read replica if one is configured and has all
   * changes acknowledged so far, and otherwise the primary. The work may run on both, so it must have no side
   * effects (SCALE-4).
   */
  read<Result>(work: (db: Queryable) => Promise<Result>): Promise<Result>;
  /** State of the read replica. Null if no replica is configured. */
  readonly replica: Omit<ReadReplica, "read" | "stop"> | null;
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** Appends messages over a dedicated connection, so that posts never wait for reads. */
  append(rows: readonly MessageRow[]): Promise<AppendOutcome[]>;
  /** Appends messages and waits for locked feeds. Does not share connections with `append`. */
  appendWaiting(rows: readonly MessageRow[]): Promise<AppendOutcome[]>;
  /** Returns the reason why the server currently cannot write durably, or null if it can (OPS-2). */
  findWriteProblem(): Promise<WriteProblem | null>;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  readonly target: ConnectionTarget;
  /** Maximum number of connections for queries. Transactions and the appender use a few more. */
  readonly poolMax?: number;
  readonly replica?: ReadReplicaOptions | undefined;
  /** Passed to `migrate`, for example to make a backup before migrations run. */
  readonly beforeMigrating?: MigrateOptions["beforeMigrating"];
}

/**
 * Opens a database, brings its schema up to date and reads its identity.
 *
 * @throws DatabaseError whose message says what is wrong and what to do (DB-9)
 */
export async function openDatabase({
  target,
  poolMax = 10,
  replica: readReplica,
  beforeMigrating,
}: OpenDatabaseOptions): Promise<Database> {
  // Plans each query on every execution, because one session may have a hundred rows and another a million.
  const pool = renewClient(target, poolMax, { plans: "custom", onConnect: readTimesAsText });
  // Planning an append takes longer than running it, so one plan serves batches of every size.
  const appendLane = renewClient(target, 1, { plans: "generic" });
  const waitingLane = renewClient(target, 3);
  const transactions = startTransactions(target, transactionsMax);
  const writes = watchWrites(pool.ask);
  let replica: ReadReplica | null = null;

  const close = async () => {
    await replica?.stop();
    await Promise.all([pool.end(), appendLane.end(), waitingLane.end(), transactions.end()]);
  };
  try {
    const orm: Queryable = drizzle(pool.sql, { schema });
    const serverVersion = await checkServer(pool.sql);
    const migrationsRun = await migrate(target, { beforeMigrating });
    const { epoch, brokerId, meshId } = await identify(pool.sql);
    replica = readReplica ? await startReadReplica({ sql: pool.sql, orm }, readReplica) : null;
    return {
      orm,
      read: replica?.read ?? ((work) => work(orm)),
      replica,
      epoch,
      brokerId,
      meshId,
      serverVersion,
      migrationsRun,
      newestMigration: readNewestMigration(),
      transaction: (work) => writes.trackFailure(transactions.run(work)),
      append: (rows) => writes.track(appendLane.ask((client) => appendMessages(client, rows, false))),
      appendWaiting: (rows) =>
        writes.trackFailure(waitingLane.ask((client) => appendMessages(client, rows, true))),
      findWriteProblem: writes.findProblem,
      close,
    };
  } catch (error) {
    await close();
    throw explain(error, target);
  }
}

/** Returns a view of the database that belongs to another mesh. */
export function scopeToMesh(database: Database, meshId: string): Database {
  return { ...database, meshId };
}

/** Makes a pool return times as text, as drizzle expects. */
function readTimesAsText(pool: postgres.Sql): void {
  drizzle(pool);
}

async function checkServer(pool: postgres.Sql): Promise<string> {
  const [server] = await pool`
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS number,
           current_setting('fsync') AS fsync,
           current_setting('default_transaction_read_only') AS read_only,
           pg_is_in_recovery() AS standby`;
  if (!server) throw new TypeError("The database server returned no settings.");
  if (server["number"] < 150_000) {
    throw new DatabaseError(
      "server_too_old",
      `Merkle needs PostgreSQL 15 or later, but the server at DATABASE_URL is ${server["version"]}. Upgrade that server, or unset DATABASE_URL to use the embedded one.`,
    );
  }
  if (server["fsync"] !== "on") {
    throw new DatabaseError(
      "fsync_off",
      "The database server runs with fsync=off, so a power cut would lose messages that were acknowledged. Set fsync=on in its postgresql.conf and restart it.",
    );
  }
  if (server["read_only"] === "on" || server["standby"] === true) {
    throw new DatabaseError(
      "read_only",
      "The database is read-only (a standby, or default_transaction_read_only). Point DATABASE_URL at the primary server.",
    );
  }
  return String(server["version"]);
}

/**
 * Reads the epoch, the broker's id and the main mesh. Creates them in a new database. If two brokers race,
 * each of these rows is created only once.
 */
async function identify(pool: postgres.Sql): Promise<{ epoch: string; brokerId: string; meshId: string }> {
  await pool`INSERT INTO settings (key, value)
    VALUES ('epoch', to_jsonb(${randomUUID()}::text)), ('broker_id', to_jsonb(${randomUUID()}::text))
    ON CONFLICT DO NOTHING`;
  await pool`INSERT INTO meshes (mesh_id, name) VALUES (${randomUUID()}, 'main') ON CONFLICT DO NOTHING`;
  const [epoch] = await pool`SELECT value #>> '{}' AS epoch FROM settings WHERE key = 'epoch'`;
  const [broker] = await pool`SELECT value #>> '{}' AS id FROM settings WHERE key = 'broker_id'`;
  const [mesh] = await pool`SELECT mesh_id FROM meshes WHERE name = 'main'`;
  return {
    epoch: String(epoch?.["epoch"]),
    brokerId: String(broker?.["id"]),
    meshId: String(mesh?.["mesh_id"]),
  };
}

function explain(error: unknown, target: ConnectionTarget): unknown {
  if (error instanceof DatabaseError) return error;
  const code = findDatabaseErrorCode(error);
  const where = describeTarget(target);
  switch (code) {
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ENOENT":
    case "CONNECT_TIMEOUT":
    case "CONNECTION_CLOSED":
    case "ECONNRESET":
    case "EPIPE":
    case "57P01":
    case "57P02":
    case "57P03":
    case "ERR_INVALID_URL":
      return new DatabaseError(
        "unreachable",
        `No database responds at ${where} (${code}). Start it, correct DATABASE_URL, or unset DATABASE_URL to use the embedded one.`,
        { cause: error },
      );
    case "28P01":
    case "28000":
    case "3D000":
      return new DatabaseError(
        "refused",
        `The database at ${where} refused the connection: ${error instanceof Error ? error.message : code}. Correct the user, password or database name in DATABASE_URL.`,
        { cause: error },
      );
    case "42501":
      return new DatabaseError(
        "refused",
        `The database user at ${where} is not allowed to create tables. Grant it CREATE on the database, or use the database's owner in DATABASE_URL.`,
        { cause: error },
      );
    case "53100":
      return new DatabaseError(
        "disk_full",
        `The database's disk is full at ${where}. Free some space there, then start Merkle again.`,
        { cause: error },
      );
    default:
      return error;
  }
}
