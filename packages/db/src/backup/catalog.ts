import type postgres from "postgres";
import type { BackupSequence, BackupTable } from "./manifest.js";

/** A table as described by the database catalogue. */
export interface CatalogTable extends BackupTable {
  /** Tables that this table's non-deferrable foreign keys refer to. They must be filled first. */
  readonly refersTo: readonly string[];
  /**
   * Triggers that fire on insert. A restore disables them, because they already ran when the rows were first
   * inserted.
   */
  readonly insertTriggers: readonly string[];
}

/**
 * Lists all tables in Merkle's schema, each after the tables that it refers to. Reads them from the
 * catalogue, so tables that later migrations create are included automatically.
 */
export async function listTables(sql: postgres.Sql): Promise<CatalogTable[]> {
  const tables = await sql<CatalogTable[]>`
    SELECT c.relname AS name,
      -- As JSON, since the pool knows no types of arrays.
      to_json(ARRAY(SELECT a.attname::text FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            ORDER BY a.attnum)) AS columns,
      -- A constraint that can be deferred is checked after all tables are filled.
      to_json(ARRAY(SELECT DISTINCT f.relname::text FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
            WHERE k.conrelid = c.oid AND k.contype = 'f' AND NOT k.condeferrable AND f.oid <> c.oid)) AS "refersTo",
      to_json(ARRAY(SELECT t.tgname::text FROM pg_trigger t
            WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled = 'O' AND t.tgtype & 4 <> 0))
        AS "insertTriggers"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname`;
  return sortByReference([...tables]);
}

/**
 * Returns about how many rows the schema's tables have, as of the last time the database counted them. Null if
 * it never has.
 */
export async function estimateRows(sql: postgres.Sql): Promise<number | null> {
  const [estimate] = await sql`
    SELECT sum(GREATEST(c.reltuples, 0))::float8 AS rows
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'`;
  const rows = Number(estimate?.["rows"] ?? 0);
  return rows > 0 ? rows : null;
}

/** Lists the schema's sequences that have been used, each with its last value. */
export async function listSequences(sql: postgres.Sql): Promise<BackupSequence[]> {
  const sequences = await sql<BackupSequence[]>`
    SELECT sequencename AS name, last_value::text FROM pg_sequences
    WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`;
  return sequences.map(({ name, last_value }) => ({ name, last_value }));
}

/** Sorts tables so that each follows the tables that it refers to. Exported for tests. */
export function sortByReference<Table extends { name: string; refersTo: readonly string[] }>(
  tables: readonly Table[],
): Table[] {
  const ordered: Table[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter(({ refersTo }) => !refersTo.some((name) => names.has(name)));
    if (ready.length === 0) {
      throw new TypeError(
        `The foreign keys of ${[...names].join(", ")} form a cycle. One of them must be deferrable so that a backup can be restored.`,
      );
    }
    ordered.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}
