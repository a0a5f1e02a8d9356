import type postgres from "postgres";
import type { ConnectionTarget } from "./connection.js";
import { withPool } from "./long-transaction.js";

/**
 * Indexes of the tables that grow with every message or version. In a migration, such an index would block posts for as long as
 * it is built: about a minute with 10 million messages. Each query that uses one is also correct without it.
 */
const largeIndexes = [
  // Finds the replies to a message, so that an ask without one is known as unanswered (ATT-15).
  {
    name: "messages_replying",
    table: "messages",
    columns: "(session_id, reply_to) WHERE reply_to IS NOT NULL AND type = 'chat'",
  },
  // Finds the messages to some peers, so that undelivered ones are found without reading those to everyone (ATT-12).
  {
    name: "messages_to_some",
    table: "messages",
    columns: "(session_id, sequence) WHERE reaches IS NOT NULL",
  },
  // Finds the versions that one team wrote, so that they are listed without reading those of other teams (DOC-9).
  {
    name: "document_versions_by_team",
    table: "document_versions",
    columns: "(session_id, written_by_team_id, version)",
  },
  // Finds the newest messages, so that a search for a common word need not read all of them (SEARCH-11).
  { name: "message_words_by_time", table: "message_words", columns: "(posted_at)" },
  // Finds the newest decisions, so that they are listed without reading what was posted between them (SEARCH-14).
  { name: "message_words_by_decision", table: "message_words", columns: "(posted_at) WHERE decision" },
  // Finds all decisions with a word, however many other messages have it.
  { name: "message_words_of_decisions", table: "message_words", columns: "USING gin (words) WHERE decision" },
] as const;

/** Up to this size of a table, an index is built in a fraction of a second, so writes can wait for it. */
const smallTableBytesMax = 64 * 1024 * 1024;

/**
 * Number of the lock that the building node holds, chosen arbitrarily. Other programs on the same database must not
 * use the same advisory lock.
 */
const buildingLock = 7_423_003;

/** Creates the missing indexes of small tables. Must run in the transaction that migrates the schema. */
export async function createIndexesOfSmallTables(sql: postgres.Sql): Promise<void> {
  for (const { name, table, columns } of largeIndexes) {
    const [row] = await sql`
      SELECT to_regclass(${name}) IS NULL AND pg_relation_size(${table}::regclass) <= ${smallTableBytesMax}::bigint AS wanted`;
    if (row?.["wanted"] === true) await sql.unsafe(`CREATE INDEX ${name} ON ${table} ${columns}`);
  }
}

/**
 * Builds the indexes that are still missing, without blocking reads or writes, and returns their names (DB-42). An
 * index that was left unfinished is built again. Does nothing while another node is building.
 *
 * @param signal - closes the connection, which ends the build with an error
 */
export async function buildLargeIndexes(target: ConnectionTarget, signal: AbortSignal): Promise<string[]> {
  return withPool(target, 1, async (sql) => {
    signal.addEventListener("abort", () => void sql.end({ timeout: 0 }), { once: true });
    await sql`SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`;
    const [lock] = await sql`SELECT pg_try_advisory_lock(${buildingLock}) AS held`;
    if (lock?.["held"] !== true) return [];
    const built: string[] = [];
    for (const { name, table, columns } of largeIndexes) {
      const [index] =
        await sql`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${name})`;
      if (index?.["valid"] === true) continue;
      if (index) await sql.unsafe(`DROP INDEX CONCURRENTLY ${name}`);
      await sql.unsafe(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${columns}`);
      built.push(name);
    }
    return built;
  });
}
