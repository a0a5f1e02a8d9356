import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { documents, stateEntries, stateVersions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import {
  isWithinPage,
  type StateBounds,
  type StateVersionRow,
  selectSizeUpTo,
  stateEntryColumns,
} from "../../sessions/state-entries.js";

function isEntry(scopeId: string, key: string): SQL | undefined {
  return and(eq(stateEntries.scopeId, scopeId), eq(stateEntries.key, key));
}

/** Finds the entry of a key, even if its value was deleted. Returns null if the key was never set. */
export async function findStateEntry(
  db: Queryable,
  scopeId: string,
  key: string,
): Promise<StateVersionRow | null> {
  const [row] = await db.select(stateEntryColumns).from(stateEntries).where(isEntry(scopeId, key));
  return row ?? null;
}

export interface LockedStateEntry extends StateVersionRow {
  readonly updatedByPeerId: string;
  readonly announcedVersion: number;
  readonly announcedAt: Date | null;
  /** The current time by the database's clock, which is the same for all nodes. */
  readonly now: Date;
}

/** Locks a key until the transaction ends, and returns its entry. */
export async function lockStateEntry(
  tx: Transaction,
  scopeId: string,
  key: string,
): Promise<LockedStateEntry | null> {
  const [row] = await tx
    .select({
      ...stateEntryColumns,
      updatedByPeerId: stateEntries.updatedByPeerId,
      announcedVersion: stateEntries.announcedVersion,
      announcedAt: stateEntries.announcedAt,
      now: sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(stateEntries.updatedAt),
    })
    .from(stateEntries)
    .where(isEntry(scopeId, key))
    .for("no key update");
  return row ?? null;
}

/**
 * Creates a key with version 0 and no value. The same transaction must then set the value, so that no one
 * else ever sees version 0.
 */
export async function insertStateEntry(
  tx: Transaction,
  scopeId: string,
  key: string,
  by: { updatedBy: string; updatedByPeerId: string },
): Promise<void> {
  await tx
    .insert(stateEntries)
    .values({ scopeId, key, version: 0, value: null, ...by, updatedAt: new Date() })
    .onConflictDoNothing();
}

/**
 * Counts the keys that have a value in a scope, and locks the count until the transaction ends. Callers use
 * this to check the limit before they add a key.
 */
export async function lockAndCountStateKeys(tx: Transaction, scopeId: string): Promise<number> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`state ${scopeId}`}, 0))`);
  return countStateKeys(tx, scopeId);
}

/** Counts the keys that have a value in a scope. */
export async function countStateKeys(db: Queryable, scopeId: string): Promise<number> {
  const [row] = await db
    .select({ keys: count() })
    .from(stateEntries)
    .where(and(eq(stateEntries.scopeId, scopeId), isNotNull(stateEntries.value)));
  return row?.keys ?? 0;
}

/**
 * Prevents a session from being concluded until the transaction ends. Returns false if the session is already
 * concluded. Locks the document's row, which a conclusion writes to. Locking the feed instead would block
 * posts.
 */
export async function keepSessionOpen(tx: Transaction, sessionId: string): Promise<boolean> {
  const [document] = await tx
    .select({ conclusion: documents.conclusion })
    .from(documents)
    .where(eq(documents.sessionId, sessionId))
    .for("share");
  return document?.conclusion === null;
}

export interface StateChange extends StateVersionRow {
  readonly scopeId: string;
  readonly updatedByPeerId: string;
  /** Number of versions to keep in the history, including this one. */
  readonly keep: number;
}

/**
 * Writes a key's next version and its history entry, and deletes the versions that exceed `keep`. The caller
 * must hold the lock on the key. All this is one statement, so the lock is held only briefly.
 */
export async function saveStateChange(tx: Transaction, change: StateChange): Promise<void> {
  const { scopeId, key, version, value, updatedBy, updatedByPeerId, keep } = change;
  const updatedAt = change.updatedAt.toISOString();
  await tx.execute(sql`
    WITH entry AS (
      UPDATE state_entries
      SET version = ${version}, value = ${value}, updated_by = ${updatedBy}, updated_by_peer_id = ${updatedByPeerId},
          updated_at = ${updatedAt}
      WHERE scope_id = ${scopeId} AND key = ${key}
    ), oldest AS (
      DELETE FROM state_versions WHERE scope_id = ${scopeId} AND key = ${key} AND version <= ${version - keep}
    )
    INSERT INTO state_versions (scope_id, key, version, value, updated_by, updated_at)
    VALUES (${scopeId}, ${key}, ${version}, ${value}, ${updatedBy}, ${updatedAt})`);
}

/**
 * Records that the feed has announced a version of a key, or that there is no feed to announce it in. The
 * caller must hold the lock on the key.
 */
export async function markStateAnnounced(
  tx: Transaction,
  scopeId: string,
  key: string,
  announced: { version: number; at: Date },
): Promise<void> {
  await tx
    .update(stateEntries)
    .set({ announcedVersion: announced.version, announcedAt: announced.at })
    .where(isEntry(scopeId, key));
}

/**
 * Lists keys with a change that has not been announced, if their last announcement is at least `forMs` ago.
 * The longest wait comes first.
 */
export async function listUnannouncedState(
  db: Queryable,
  { forMs, limit }: { forMs: number; limit: number },
): Promise<{ scopeId: string; key: string }[]> {
  return db
    .select({ scopeId: stateEntries.scopeId, key: stateEntries.key })
    .from(stateEntries)
    .where(
      and(
        lt(stateEntries.announcedVersion, stateEntries.version),
        lte(stateEntries.announcedAt, sql`now() - make_interval(secs => ${forMs / 1000})`),
      ),
    )
    .orderBy(asc(stateEntries.announcedAt))
    .limit(limit);
}

/** Lists the latest versions of a key, newest first. */
export async function listStateVersions(
  db: Queryable,
  scopeId: string,
  key: string,
  { rowsMax, bytesMax }: StateBounds,
): Promise<StateVersionRow[]> {
  const ofKey = and(eq(stateVersions.scopeId, scopeId), eq(stateVersions.key, key));
  const newestFirst = desc(stateVersions.version);
  const sizes = db.$with("sizes").as(
    db
      .select({ version: stateVersions.version, ...selectSizeUpTo(stateVersions, newestFirst) })
      .from(stateVersions)
      .where(ofKey)
      .orderBy(newestFirst)
      .limit(rowsMax),
  );
  const oldest = sql`(SELECT min(version) FROM ${sizes} WHERE ${isWithinPage(bytesMax)})`;
  return db
    .with(sizes)
    .select({
      key: stateVersions.key,
      version: stateVersions.version,
      value: stateVersions.value,
      updatedBy: stateVersions.updatedBy,
      updatedAt: stateVersions.updatedAt,
      redacted: stateVersions.redacted,
    })
    .from(stateVersions)
    .where(and(ofKey, sql`${stateVersions.version} >= ${oldest}`))
    .orderBy(newestFirst);
}

/** Lists the recently changed keys of these scopes, with their current values. */
export async function listStateChanges(
  db: Queryable,
  scopeIds: readonly string[],
  withinSeconds: number,
): Promise<(StateVersionRow & { readonly scopeId: string })[]> {
  if (scopeIds.length === 0) return [];
  return db
    .select({ ...stateEntryColumns, scopeId: stateEntries.scopeId })
    .from(stateEntries)
    .where(
      and(
        inArray(stateEntries.scopeId, [...scopeIds]),
        gt(stateEntries.updatedAt, sql`now() - make_interval(secs => ${withinSeconds})`),
      ),
    );
}
