import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { dismissals } from "../core/schema.js";
import type { Queryable } from "../start/open-database.js";

/** Something that a person has put away, until a time or for good. */
export interface Dismissal {
  readonly item: string;
  readonly until: Date | null;
}

export interface DismissalKey {
  readonly meshId: string;
  readonly personId: string;
  readonly item: string;
}

/** What a person has put away now; a snooze whose time is over is none any more. */
export async function listDismissals(db: Queryable, meshId: string, personId: string): Promise<Dismissal[]> {
  return db
    .select({ item: dismissals.item, until: dismissals.until })
    .from(dismissals)
    .where(
      and(
        eq(dismissals.meshId, meshId),
        eq(dismissals.personId, personId),
        or(isNull(dismissals.until), sql`${dismissals.until} > now()`),
      ),
    );
}

export async function saveDismissal(tx: Queryable, key: DismissalKey, until: Date | null): Promise<void> {
  await tx
    .insert(dismissals)
    .values({ ...key, until })
    .onConflictDoUpdate({
      target: [dismissals.meshId, dismissals.personId, dismissals.item],
      set: { until, at: sql`now()` },
    });
}

export async function deleteDismissal(
  tx: Queryable,
  { meshId, personId, item }: DismissalKey,
): Promise<void> {
  await tx
    .delete(dismissals)
    .where(and(eq(dismissals.meshId, meshId), eq(dismissals.personId, personId), eq(dismissals.item, item)));
}

/** Whatever anybody has put away, by name, after the last of the page before. */
export async function listDismissedItems(
  db: Queryable,
  meshId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ item: dismissals.item })
    .from(dismissals)
    .where(and(eq(dismissals.meshId, meshId), sql`${dismissals.item} > ${after}`))
    .orderBy(dismissals.item)
    .limit(limit);
  return rows.map(({ item }) => item);
}

/** Forgets for everybody that these were put away. */
export async function deleteDismissedItems(
  db: Queryable,
  meshId: string,
  items: readonly string[],
): Promise<void> {
  if (items.length === 0) return;
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), inArray(dismissals.item, [...items])));
}

/** Forgets snoozes that are over. */
export async function deleteEndedSnoozes(db: Queryable, meshId: string): Promise<void> {
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), lt(dismissals.until, sql`now()`)));
}
