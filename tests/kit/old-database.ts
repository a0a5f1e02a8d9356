import type postgres from "postgres";
import { inject } from "vitest";
import { migrateTo } from "../../packages/db/src/backup/migrate-to.js";
import { withRestore } from "../../packages/db/src/backup/transaction.js";
import { readKnownMigrations } from "../../packages/db/src/core/migrations.js";
import { connectTestDatabase, createTestDatabase } from "./test-database.js";

/** Creates an empty database with only the first migrations applied, and returns its URL. */
export async function createOldDatabase(migrations: number): Promise<string> {
  const { serverUrl } = inject("postgres");
  const url = await createTestDatabase();
  const name = new URL(url).pathname.slice(1);
  const admin = connectTestDatabase(`${serverUrl}/postgres`);
  await admin.unsafe(`DROP DATABASE ${name}`);
  await admin.unsafe(`CREATE DATABASE ${name}`);
  await withRestore(url, (sql) => migrateTo(sql, readKnownMigrations().slice(0, migrations)));
  return url;
}

const hex = (digits: number) => `repeat('a', ${digits})`;
const bytes = (count: number) => `decode(repeat('ab', ${count}), 'hex')`;

/** SQL expressions for the values that constraints require, keyed by table and column. */
const chosen: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  archives: { state: "'storing'" },
  alert_targets: { kind: "'webhook'" },
  alerts: { state: "'waiting'" },
  approvals: { devices: "'{a}'", hash: hex(64), salt: hex(64), state: "'waiting'" },
  audit_keys: { key_id: hex(32), public_key: bytes(32) },
  document_versions: { salt: bytes(16), content: "'Text.'" },
  heads: {
    about: bytes(96),
    document_version: "0",
    document_root: bytes(32),
    root: bytes(32),
    key_id: hex(32),
    signature: bytes(64),
  },
  invites: { role: "'member'", invited_by: "md5('member_id')::uuid", uses: "0", uses_max: "1" },
  jobs: { kind: "'conclude'", status: "'queued'", session_id: "md5('session_id')::uuid" },
  client_grants: { challenge: "repeat('a', 43)", client_hash: bytes(32), code_hash: bytes(32) },
  members: { role: "'admin'", public_key: bytes(32), vouched_by: "md5('member_id')::uuid" },
  merkle_roots: { root: hex(64) },
  messages: { type: "'system'", priority: "'next'", salt: bytes(16), content: `'{"event":"team_joined"}'` },
  origin_keys: { key_id: hex(32), public_key: bytes(32) },
  peers: { acked: "0", offered: "0", returned: "0" },
  personas: { hash: hex(64) },
  perspectives: {
    session_id: "md5('session_id')::uuid",
    persona_key: "'name_key'",
    persona_hash: hex(64),
    source_hash: hex(64),
    source_version: "1",
    job: "1",
  },
  progress_entries: { id: hex(12) },
  proposals: {
    session_id: "md5('session_id')::uuid",
    kind: "'conclusion'",
    status: "'open'",
    base_version: "0",
    content: "'Text.'",
  },
  record_rests: { log: "'feed'", size: "1", hashes: bytes(32) },
  record_tiles: { log: "'feed'", hashes: bytes(8192), root: bytes(32) },
  settings: { key: "'epoch'", value: "to_jsonb(md5('epoch')::uuid)" },
  source_texts: { hash: hex(64) },
  tasks: { state: "'open'" },
  teams: { kind: "'agent'", secret_hash: "sha256('secret')" },
  thought_records: { hash: hex(64), prev_hash: hex(64), type: "'plan'" },
  tokens: { kind: "'bearer'", member_id: "md5('member_id')::uuid", created_by: "md5('member_id')::uuid" },
  topic_messages: { topic: "1" },
  topics: { session_id: "md5('session_id')::uuid", status: "'open'", made_at_version: "1" },
  usage: { source: "'agent'", costed_reports: "0" },
};

/** The properties that determine a column's test value. */
interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly required: boolean;
}

/**
 * Inserts a row into every empty table. Values depend only on a column's name and type, so that foreign keys match
 * across tables. Where a constraint needs another value, `chosen` provides it.
 *
 * @throws Error that names the tables without a row. A new table may need entries in `chosen`.
 */
export async function fillTables(sql: postgres.Sql): Promise<void> {
  const columns = await readColumns(sql);
  let missing = await emptyTables(sql);
  const problems = new Map<string, string>();
  // A table with foreign keys to an empty table is filled in a later iteration.
  for (let before = Number.POSITIVE_INFINITY; missing.length > 0 && missing.length < before; ) {
    before = missing.length;
    for (const table of missing) {
      const own = columns.filter((each) => each.table === table);
      const problem = await insertRow(sql, table, own, chosen[table] ?? {});
      if (problem !== undefined) problems.set(table, problem);
    }
    missing = await emptyTables(sql);
  }
  if (missing.length > 0)
    throw new Error(missing.map((table) => `${table}: ${problems.get(table)}`).join("\n"));
}

async function readColumns(sql: postgres.Sql): Promise<Column[]> {
  const rows = await sql`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
           a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY c.relname, a.attnum`;
  return rows.map((row) => ({
    table: String(row["table"]),
    column: String(row["column"]),
    type: String(row["type"]),
    required: row["required"] === true,
  }));
}

async function emptyTables(sql: postgres.Sql): Promise<string[]> {
  const tables = await sql`SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;
  const empty: string[] = [];
  for (const { relname } of tables) {
    const [row] = await sql`SELECT FROM ${sql(relname)} LIMIT 1`;
    if (!row) empty.push(String(relname));
  }
  return empty;
}

async function insertRow(
  sql: postgres.Sql,
  table: string,
  columns: readonly Column[],
  given: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const named = columns.filter(({ column, required }) => required || column in given);
  const names = named.map(({ column }) => `"${column}"`).join(", ");
  const texts = named.map(({ column, type }) => given[column] ?? sqlFor(column, type)).join(", ");
  const insert = named.length === 0 ? "DEFAULT VALUES" : `(${names}) VALUES (${texts})`;
  try {
    await sql.unsafe(`INSERT INTO "${table}" ${insert}`);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Returns an SQL expression for a column's test value. */
function sqlFor(column: string, type: string): string {
  switch (type) {
    case "uuid":
      return `md5('${column}')::uuid`;
    case "bytea":
      return `sha256('${column}')`;
    case "timestamp with time zone":
      return "timestamptz '2026-01-02 03:04:05Z'";
    case "integer":
    case "bigint":
    case "smallint":
      return "1";
    case "date":
      return "date '2026-01-02'";
    case "boolean":
      return "true";
    case "jsonb":
    case "json":
      return "'{}'";
    default:
      return type.endsWith("[]") ? "'{}'" : `'${column}'`;
  }
}

/** A row of a table, with the values of all columns as text. */
export interface TestRow {
  readonly table: string;
  readonly columns: Readonly<Record<string, string | null>>;
}

export async function readRows(sql: postgres.Sql): Promise<TestRow[]> {
  const tables = new Set((await readColumns(sql)).map(({ table }) => table));
  const rows: TestRow[] = [];
  for (const table of tables) {
    for (const { row } of await sql`SELECT to_jsonb(t) AS row FROM ${sql(table)} t`)
      rows.push({ table, columns: row });
  }
  return rows;
}
