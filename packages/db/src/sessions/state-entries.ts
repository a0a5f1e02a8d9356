import { and, asc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import { stateEntries, type stateVersions } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** One version of a key's value. Null if the key was deleted. */
export interface StateVersionRow {
  readonly key: string;
  readonly version: number;
  /** The value as canonical JSON. Null if the key was deleted or this value was redacted. */
  readonly value: string | null;
  readonly updatedBy: string;
  readonly updatedAt: Date;
  /** True if this value was removed from the history by a redaction. */
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
  /** Last key on the previous page, or "" for the first page. */
  readonly after: string;
}

/** Maximum number and size of the values that one read returns. At least one value is always returned. */
export interface StateBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/**
 * Lists a page of the keys that have a value in a scope, in key order. `more` is true if there are further
 * keys. A session's exported record contains these entries.
 */
export async function listStateEntries(
  db: Queryable,
  scopeId: string,
  { prefix, after }: StateFilter,
  { rowsMax, bytesMax }: StateBounds,
): Promise<{ entries: StateVersionRow[]; hasMore: boolean }> {
  const condition = and(
    eq(stateEntries.scopeId, scopeId),
    gt(stateEntries.key, after),
    sql`starts_with(${stateEntries.key}, ${prefix})`,
    isNotNull(stateEntries.value),
  );
  const inOrder = asc(stateEntries.key);
  const sizes = db.$with("sizes").as(
    db
      .select({ key: stateEntries.key, ...selectSizeUpTo(stateEntries, inOrder) })
      .from(stateEntries)
      .where(condition)
      .orderBy(inOrder)
      .limit(rowsMax + 1),
  );
  const last = sql`(SELECT max(key) FROM ${sizes} WHERE rank <= ${rowsMax} AND ${isWithinPage(bytesMax)})`;
  const rows = await db
    .with(sizes)
    .select({ ...stateEntryColumns, found: sql<number>`(SELECT count(*)::int FROM ${sizes})` })
    .from(stateEntries)
    .where(and(condition, sql`${stateEntries.key} <= ${last}`))
    .orderBy(inOrder);
  return {
    entries: rows.map(({ found: _found, ...entry }) => entry),
    hasMore: rows.length < (rows[0]?.found ?? 0),
  };
}

/**
 * Computes the total size of the rows up to each row, without decompressing the values. Only values within
 * the limit are then read.
 */
export function selectSizeUpTo({ key, value }: typeof stateEntries | typeof stateVersions, order: SQL) {
  const bytes = sql`octet_length(${key}) + coalesce(octet_length(${value}), 0)`;
  return {
    bytes: sql<number>`sum(${bytes}) OVER (ORDER BY ${order})`.as("bytes"),
    rank: sql<number>`row_number() OVER (ORDER BY ${order})`.as("rank"),
  };
}

/** Returns the condition that a row fits on the page. The first row always does. */
export function isWithinPage(bytesMax: number): SQL {
  return sql`(rank = 1 OR bytes <= ${bytesMax})`;
}
