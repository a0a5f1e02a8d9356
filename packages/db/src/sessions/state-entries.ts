import { and, asc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import { stateEntries, type stateVersions } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** The value of a key between two changes. Null if the key was deleted. */
export interface StateVersionRow {
  readonly key: string;
  readonly version: number;
  /** Canonical JSON. */
  readonly value: string | null;
  readonly updatedBy: string;
  readonly updatedAt: Date;
  /** True if this value was removed from the history. */
  readonly redacted?: boolean;
}

export const stateEntryColumns = {
  key: stateEntries.key,
  version: stateEntries.version,
  value: stateEntries.value,
  updatedBy: stateEntries.updatedBy,
  updatedAt: stateEntries.updatedAt,
};

export interface StateFilter {
  readonly prefix: string;
  /** The last key of the previous page, or "" for the first page. */
  readonly after: string;
}

/** Limits of one read. At least one value is always returned. */
export interface StateBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** Lists a page of a scope's keys that have a value, in order. `more` is true if others follow. A session's record contains them. */
export async function listStateEntries(
  db: Queryable,
  scopeId: string,
  { prefix, after }: StateFilter,
  { rowsMax, bytesMax }: StateBounds,
): Promise<{ entries: StateVersionRow[]; more: boolean }> {
  const wanted = and(
    eq(stateEntries.scopeId, scopeId),
    gt(stateEntries.key, after),
    sql`starts_with(${stateEntries.key}, ${prefix})`,
    isNotNull(stateEntries.value),
  );
  const inOrder = asc(stateEntries.key);
  const sizes = db.$with("sizes").as(
    db
      .select({ key: stateEntries.key, ...sizeUpTo(stateEntries, inOrder) })
      .from(stateEntries)
      .where(wanted)
      .orderBy(inOrder)
      .limit(rowsMax + 1),
  );
  const last = sql`(SELECT max(key) FROM ${sizes} WHERE rank <= ${rowsMax} AND ${fits(bytesMax)})`;
  const rows = await db
    .with(sizes)
    .select({ ...stateEntryColumns, found: sql<number>`(SELECT count(*)::int FROM ${sizes})` })
    .from(stateEntries)
    .where(and(wanted, sql`${stateEntries.key} <= ${last}`))
    .orderBy(inOrder);
  return {
    entries: rows.map(({ found: _found, ...entry }) => entry),
    more: rows.length < (rows[0]?.found ?? 0),
  };
}

/** Computes sizes without decompressing the values. Only values within the limit are read. */
export function sizeUpTo({ key, value }: typeof stateEntries | typeof stateVersions, order: SQL) {
  const bytes = sql`octet_length(${key}) + coalesce(octet_length(${value}), 0)`;
  return {
    bytes: sql<number>`sum(${bytes}) OVER (ORDER BY ${order})`.as("bytes"),
    rank: sql<number>`row_number() OVER (ORDER BY ${order})`.as("rank"),
  };
}

/** Selects the rows that fit into a page, and always the first one. */
export function fits(bytesMax: number): SQL {
  return sql`(rank = 1 OR bytes <= ${bytesMax})`;
}
