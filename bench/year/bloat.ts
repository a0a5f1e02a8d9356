import type postgres from "postgres";

/** The size of a table, and the statistics that the server keeps about its rows. */
export interface TableState {
  readonly name: string;
  readonly bytes: number;
  readonly indexBytes: number;
  readonly live: number;
  readonly dead: number;
  readonly updates: number;
  readonly hotUpdates: number;
  readonly deletes: number;
  readonly vacuums: number;
}

export async function readTables(sql: postgres.Sql): Promise<TableState[]> {
  const rows = await sql`
    SELECT relname AS name, pg_table_size(relid)::float8 AS bytes, pg_indexes_size(relid)::float8 AS index_bytes,
           n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, n_tup_upd::float8 AS updates,
           n_tup_hot_upd::float8 AS hot_updates, n_tup_del::float8 AS deletes, autovacuum_count::float8 AS vacuums
    FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY relname`;
  return rows.map(({ index_bytes, hot_updates, ...row }) => ({
    ...(row as Omit<TableState, "indexBytes" | "hotUpdates">),
    indexBytes: Number(index_bytes),
    hotUpdates: Number(hot_updates),
  }));
}

/** The current size of a table, its shares of dead and free space, and its size after a rewrite. */
export interface Bloat {
  readonly bytes: number;
  readonly indexBytes: number;
  readonly deadShare: number;
  readonly freeShare: number;
  readonly anewBytes: number;
  readonly anewIndexBytes: number;
}

/**
 * Measures a table and rewrites it.
 *
 * @param admin - must be allowed to create the extension that inspects each page
 */
export async function measureBloat(admin: postgres.Sql, name: string): Promise<Bloat> {
  const sizes = async () => {
    const [row] =
      await admin`SELECT pg_table_size(${name}::regclass)::float8 AS bytes, pg_indexes_size(${name}::regclass)::float8 AS indexes`;
    return { bytes: Number(row?.["bytes"]), indexBytes: Number(row?.["indexes"]) };
  };
  const now = await sizes();
  const [tuples] =
    await admin`SELECT dead_tuple_percent AS dead, free_percent AS free FROM pgstattuple(${name}::regclass)`;
  await admin`VACUUM (FULL) ${admin(name)}`;
  const sizesAfter = await sizes();
  return {
    ...now,
    deadShare: Number(tuples?.["dead"]) / 100,
    freeShare: Number(tuples?.["free"]) / 100,
    anewBytes: sizesAfter.bytes,
    anewIndexBytes: sizesAfter.indexBytes,
  };
}

/** Resets the matching storage settings of every table to PostgreSQL's defaults. */
export async function resetSettings(sql: postgres.Sql, which: RegExp): Promise<void> {
  const tables = await sql<{ name: string; options: string }[]>`
    SELECT relname AS name, array_to_string(reloptions, ',') AS options FROM pg_class
    WHERE relkind = 'r' AND reloptions IS NOT NULL AND relnamespace = 'public'::regnamespace`;
  for (const { name, options } of tables) {
    const names = options
      .split(",")
      .map((option) => option.replace(/=.*/, ""))
      .filter((each) => which.test(each));
    if (names.length > 0) await sql.unsafe(`ALTER TABLE ${name} RESET (${names.join(", ")})`);
  }
}
