import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { peers, stateWatches, teams } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** A key, or the beginning of keys, that a peer wants to be told of. */
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

/** Lists the watches of a peer, in the order of keys. */
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

/** Holds what a peer watches until the transaction ends. */
export async function lockStateWatches(tx: Transaction, { sessionId, peerId }: Watcher): Promise<void> {
  await tx.execute(
    sql`SELECT FROM ${peers} WHERE ${peers.sessionId} = ${sessionId} AND ${peers.peerId} = ${peerId} FOR NO KEY UPDATE`,
  );
}

/** Adds a watch; one that is there stays. */
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

/** A peer that watches a key; a team's unnamed one has no name of its own. */
export interface StateWatcher {
  readonly peerId: string;
  readonly team: string;
  readonly peer: string | null;
}

/** The peers that watch a key and are there, each once, by their names; of a mesh's key in all its sessions. */
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
