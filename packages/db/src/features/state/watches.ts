import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { peers, stateWatches, teams } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** A key or key prefix that a peer watches for changes. */
export interface StateWatch {
  readonly scopeId: string;
  readonly pattern: string;
  readonly isPrefix: boolean;
}

export interface Watcher {
  readonly sessionId: string;
  readonly peerId: string;
}

function isOf({ sessionId, peerId }: Watcher) {
  return and(eq(stateWatches.sessionId, sessionId), eq(stateWatches.peerId, peerId));
}

/** Lists a peer's watches in key order. */
export async function listStateWatches(db: Queryable, watcher: Watcher): Promise<StateWatch[]> {
  return db
    .select({
      scopeId: stateWatches.scopeId,
      pattern: stateWatches.pattern,
      isPrefix: stateWatches.isPrefix,
    })
    .from(stateWatches)
    .where(isOf(watcher))
    .orderBy(asc(stateWatches.pattern), asc(stateWatches.isPrefix), asc(stateWatches.scopeId));
}

/** Locks a peer's watches until the transaction ends. */
export async function lockStateWatches(tx: Transaction, { sessionId, peerId }: Watcher): Promise<void> {
  await tx.execute(
    sql`SELECT FROM ${peers} WHERE ${peers.sessionId} = ${sessionId} AND ${peers.peerId} = ${peerId} FOR NO KEY UPDATE`,
  );
}

/** Adds a watch, if it does not exist yet. */
export async function insertStateWatch(tx: Transaction, watcher: Watcher, watch: StateWatch): Promise<void> {
  await tx
    .insert(stateWatches)
    .values({ ...watcher, ...watch })
    .onConflictDoNothing();
}

export async function deleteStateWatch(tx: Transaction, watcher: Watcher, watch: StateWatch): Promise<void> {
  await tx
    .delete(stateWatches)
    .where(
      and(
        isOf(watcher),
        eq(stateWatches.scopeId, watch.scopeId),
        eq(stateWatches.pattern, watch.pattern),
        eq(stateWatches.isPrefix, watch.isPrefix),
      ),
    );
}

/** A peer that watches a key. `peer` is null for the unnamed peer of a team. */
export interface StateWatcher {
  readonly peerId: string;
  readonly team: string;
  readonly peer: string | null;
}

/**
 * Lists the current peers that watch a key, by name and without duplicates. For a key of the mesh, the peers
 * of all its sessions are included.
 */
export async function listStateWatchers(
  db: Queryable,
  scopeId: string,
  key: string,
): Promise<StateWatcher[]> {
  return db
    .selectDistinct({ peerId: stateWatches.peerId, team: teams.name, peer: peers.name })
    .from(stateWatches)
    .innerJoin(peers, and(eq(peers.sessionId, stateWatches.sessionId), eq(peers.peerId, stateWatches.peerId)))
    .innerJoin(teams, and(eq(teams.sessionId, peers.sessionId), eq(teams.teamId, peers.teamId)))
    .where(
      and(
        eq(stateWatches.scopeId, scopeId),
        sql`CASE WHEN ${stateWatches.isPrefix} THEN starts_with(${key}, ${stateWatches.pattern})
                 ELSE ${stateWatches.pattern} = ${key} END`,
        isNull(peers.leftAt),
        isNull(teams.leftAt),
      ),
    )
    .orderBy(asc(teams.name), asc(peers.name), asc(stateWatches.peerId));
}
