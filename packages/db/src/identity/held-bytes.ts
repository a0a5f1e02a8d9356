import { is, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgColumn, PgTable } from "drizzle-orm/pg-core";
import * as schema from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** Tables to which rows are only appended. `countBytes` counts the bytes of their new rows. */
const appendOnly: readonly PgTable[] = [schema.messages, schema.documentVersions];

/**
 * Tables with copies and hashes of data that is counted elsewhere. The size of that data bounds their size as
 * well.
 */
const derived: readonly PgTable[] = [
  schema.documents,
  schema.documentWords,
  schema.messageWords,
  schema.recordRests,
  schema.recordTiles,
];

/**
 * Counts the bytes of texts, binary data, arrays and JSON that a mesh stores, except in append-only tables.
 * The tables are taken from the schema, so new tables are included automatically.
 */
export async function countChangingBytes(db: Queryable, meshId: string): Promise<number> {
  const sums = countedTables.map(
    ({ table, contents, isOfMesh }) =>
      sql`(SELECT coalesce(sum(${selectSum(contents)}), 0) FROM ${table} WHERE ${isOfMesh(meshId)})`,
  );
  const [row] = await db.execute<{ bytes: string }>(sql`SELECT ${sql.join(sums, sql` + `)} AS bytes`);
  return Number(row?.bytes ?? 0);
}

interface CountedTable {
  readonly table: PgTable;
  readonly contents: readonly PgColumn[];
  readonly isOfMesh: (meshId: string) => SQL;
}

const countedTables: readonly CountedTable[] = Object.values(schema).flatMap((table) => {
  if (!is(table, PgTable) || appendOnly.includes(table) || derived.includes(table)) return [];
  const { columns } = getTableConfig(table);
  const contents = columns.filter(isContent);
  const isOfMesh = chooseCondition(columns);
  return contents.length > 0 && isOfMesh ? [{ table, contents, isOfMesh }] : [];
});

/**
 * Returns a function that creates the condition that a row belongs to a mesh. Uses the column for the mesh,
 * the session or the scope, whichever the table has. If the table has none of them, its rows belong to the
 * whole broker, and the result is null.
 */
function chooseCondition(columns: readonly PgColumn[]): CountedTable["isOfMesh"] | null {
  const findColumn = (name: string) => columns.find((each) => each.name === name);
  const ofMesh = findColumn("mesh_id");
  if (ofMesh) return (meshId) => sql`${ofMesh} = ${meshId}`;
  const ofSession = findColumn("session_id");
  if (ofSession) return (meshId) => sql`${ofSession} IN (${selectSessions(meshId)})`;
  const ofScope = findColumn("scope_id");
  if (ofScope) return (meshId) => sql`(${ofScope} = ${meshId} OR ${ofScope} IN (${selectSessions(meshId)}))`;
  return null;
}

function selectSessions(meshId: string): SQL {
  return sql`SELECT own.session_id FROM ${schema.sessions} own WHERE own.mesh_id = ${meshId}`;
}

function isContent(column: PgColumn): boolean {
  return column.generated === undefined && /^(?:text|bytea|jsonb)\b|\[\]$/.test(column.getSQLType());
}

function selectSum(contents: readonly PgColumn[]): SQL {
  const sizes = contents.map((column) =>
    // Both `octet_length` and `pg_column_size` return a size without reading values that are stored out of
    // line.
    /^(?:text|bytea)$/.test(column.getSQLType())
      ? sql`coalesce(octet_length(${column}), 0)`
      : sql`coalesce(pg_column_size(${column}), 0)`,
  );
  return sql.join(sizes, sql` + `);
}
