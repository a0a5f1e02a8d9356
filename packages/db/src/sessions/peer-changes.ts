import type { DeclaredStatus, GroupMembership, WakePreference } from "@merkle/wire";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { peers, teams } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

/** Facts that a peer reports about itself. Omitted facts stay unchanged. */
export interface PeerFacts {
  readonly role?: string | undefined;
  readonly groups?: readonly GroupMembership[] | undefined;
  readonly summary?: string | null | undefined;
  readonly summaryAt?: Date | null | undefined;
  readonly wake?: WakePreference | undefined;
  readonly capabilities?: unknown;
  readonly cwd?: string | undefined;
  readonly machine?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly keyCard?: unknown;
  readonly ownWords?: unknown;
}

export interface NewPeer {
  readonly sessionId: string;
  readonly teamId: string;
  readonly peerId: string;
  /** Sequence of the last message that the peer does not read. Reading starts with the next one. */
  readonly cursor: number;
  readonly documentVersion: number;
  /** Name and secret of a named peer. Undefined for a team's unnamed peer. */
  readonly named?: { readonly name: string; readonly secretHash: Uint8Array } | undefined;
  readonly facts?: PeerFacts | undefined;
}

export async function insertPeer(tx: Transaction, peer: NewPeer): Promise<void> {
  const { cursor, named, facts, ...row } = peer;
  await tx.insert(peers).values({
    ...row,
    ...named,
    ...facts,
    acked: cursor,
    offered: cursor,
    returned: cursor,
    repeated: cursor,
  });
}

/** Moves all cursors of a peer to its new starting point, forwards or backwards. */
export async function placeCursor(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  cursor: number,
): Promise<void> {
  await tx
    .update(peers)
    .set({ acked: cursor, offered: cursor, returned: cursor, repeated: cursor })
    .where(isPeer(sessionId, peerId));
}

/** Records that a peer has been notified that the database was restored. */
export async function setResynced(
  db: Queryable | Transaction,
  sessionId: string,
  peerId: string,
): Promise<void> {
  await db.update(peers).set({ resync: false }).where(isPeer(sessionId, peerId));
}

/** Stores the facts that a peer reports about itself. */
export async function updatePeerFacts(
  db: Queryable | Transaction,
  sessionId: string,
  peerId: string,
  facts: PeerFacts,
): Promise<void> {
  if (Object.values(facts).every((value) => value === undefined)) return;
  await db.update(peers).set(facts).where(isPeer(sessionId, peerId));
}

/** Locks a named peer's row until the transaction ends. */
export async function lockPeer(
  tx: Transaction,
  sessionId: string,
  peerId: string,
): Promise<{ name: string; leftAt: Date | null }> {
  const [row] = await tx
    .select({ name: peers.name, leftAt: peers.leftAt })
    .from(peers)
    .where(isPeer(sessionId, peerId))
    .for("no key update");
  if (!row || row.name === null) throw new TypeError(`Named peer ${peerId} was not found.`);
  return { name: row.name, leftAt: row.leftAt };
}

/**
 * Marks a peer as present under the given name. A peer that left may need a new name, because another peer
 * may have taken the old one.
 */
export async function bringPeerBack(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  name: string,
): Promise<void> {
  await tx.update(peers).set({ name, leftAt: null, lastSeenAt: sql`now()` }).where(isPeer(sessionId, peerId));
}

/** Records that a named peer has left. Returns false if the peer had already left. */
export async function setPeerLeft(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  leftAt: Date,
): Promise<boolean> {
  const left = await tx
    .update(peers)
    .set({ leftAt })
    .where(and(isPeer(sessionId, peerId), isNotNull(peers.name), isNull(peers.leftAt)))
    .returning({ peerId: peers.peerId });
  return left.length === 1;
}

/** Records that all named peers of a team have left. Returns the peers that had not left before. */
export async function setPeersLeft(
  tx: Transaction,
  sessionId: string,
  teamId: string,
  leftAt: Date,
): Promise<string[]> {
  const left = await tx
    .update(peers)
    .set({ leftAt })
    .where(
      and(
        eq(peers.sessionId, sessionId),
        eq(peers.teamId, teamId),
        isNotNull(peers.name),
        isNull(peers.leftAt),
      ),
    )
    .returning({ peerId: peers.peerId });
  return left.map(({ peerId }) => peerId);
}

/**
 * Marks named peers as left if they have not been seen for `unseenForDays` days and are not present. Returns
 * these peers.
 */
export async function retirePeers(
  db: Queryable,
  unseenForDays: number,
  present: readonly string[],
  /** Ids of the other running nodes. Peers connected to them count as present. */
  otherNodes: ReadonlySet<string> = new Set(),
): Promise<{ sessionId: string; peerId: string }[]> {
  return db
    .update(peers)
    .set({ leftAt: sql`now()` })
    .where(
      and(
        isNotNull(peers.name),
        isNull(peers.leftAt),
        sql`coalesce(${peers.lastSeenAt}, ${peers.joinedAt}) < now() - make_interval(days => ${unseenForDays})`,
        sql`${peers.peerId} NOT IN (
          SELECT value::uuid FROM json_array_elements_text(${JSON.stringify(present)}::text::json))`,
        sql`(${peers.heldNode} IS NULL OR ${peers.heldNode}::text NOT IN (
          SELECT value FROM json_array_elements_text(${JSON.stringify([...otherNodes])}::text::json)))`,
        sql`NOT EXISTS (SELECT FROM jsonb_object_keys(${peers.here}) AS h (node) WHERE h.node IN (
          SELECT value FROM json_array_elements_text(${JSON.stringify([...otherNodes])}::text::json)))`,
      ),
    )
    .returning({ sessionId: peers.sessionId, peerId: peers.peerId });
}

/**
 * Returns which of the given names a peer cannot use, because another current peer or another team has the
 * same name, ignoring case.
 */
export async function findTakenPeerNames(
  tx: Transaction,
  { sessionId, teamId, peerId }: { sessionId: string; teamId: string; peerId: string },
  names: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.execute<{ name: string }>(sql`
    SELECT wanted.name FROM json_array_elements_text(${JSON.stringify(names)}::text::json) AS wanted (name)
    WHERE EXISTS (SELECT FROM ${peers} p
                  WHERE p.session_id = ${sessionId} AND lower(p.name) = lower(wanted.name)
                    AND p.name IS NOT NULL AND p.left_at IS NULL AND p.peer_id <> ${peerId})
       OR EXISTS (SELECT FROM ${teams} t
                  WHERE t.session_id = ${sessionId} AND lower(t.name) = lower(wanted.name) AND t.team_id <> ${teamId})`);
  return new Set(rows.map(({ name }) => name));
}

export async function replacePeerSecret(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  secretHash: Uint8Array,
): Promise<void> {
  await tx.update(peers).set({ secretHash }).where(isPeer(sessionId, peerId));
}

/** A new status of a peer, either declared by the peer or observed by its client. */
export interface NewDeclaration {
  readonly status: DeclaredStatus;
  readonly reason: string | null;
  readonly at: Date;
  /**
   * True for an observed status. An observed status replaces only idle and working, because dnd and blocked
   * cannot be observed.
   */
  readonly automatic: boolean;
}

/**
 * Records a peer's status and returns the effective one. If the whole team is dnd or blocked (declared by its
 * unnamed peer), that takes precedence over an observed status until the team declares itself available
 * (PEER-18).
 */
export async function declareStatus(
  tx: Transaction,
  { sessionId, teamId, peerId }: { sessionId: string; teamId: string; peerId: string },
  { status, reason, at, automatic }: NewDeclaration,
): Promise<{ status: DeclaredStatus; reason: string | null; at: Date }> {
  const isTeamStatus = and(
    eq(peers.sessionId, sessionId),
    eq(peers.teamId, teamId),
    isNull(peers.name),
    sql`${peers.declaredStatus} IN ('dnd', 'blocked')`,
  );
  const isFree = status !== "dnd" && status !== "blocked";
  if (isFree && !automatic) {
    const none = { declaredStatus: null, declaredReason: null, declaredAt: null };
    await tx.update(peers).set(none).where(isTeamStatus);
  }
  const mustStay = sql`${automatic} AND coalesce(${peers.declaredStatus} IN ('dnd', 'blocked'), false)`;
  const [row] = await tx
    .update(peers)
    .set({
      declaredStatus: sql`CASE WHEN ${mustStay} THEN ${peers.declaredStatus} ELSE ${status} END`,
      declaredReason: sql`CASE WHEN ${mustStay} THEN ${peers.declaredReason} ELSE ${reason}::text END`,
      declaredAt: sql`CASE WHEN ${mustStay} THEN ${peers.declaredAt} ELSE ${at.toISOString()}::timestamptz END`,
    })
    .where(isPeer(sessionId, peerId))
    .returning({ status: peers.declaredStatus, reason: peers.declaredReason, at: peers.declaredAt });
  if (!row?.status || !row.at) throw new TypeError(`Peer ${peerId} was not found.`);
  const own = { status: row.status, reason: row.reason, at: row.at };
  if (own.status === "dnd" || own.status === "blocked" || !automatic) return own;
  const [team] = await tx
    .select({ status: peers.declaredStatus, reason: peers.declaredReason, at: peers.declaredAt })
    .from(peers)
    .where(isTeamStatus);
  return team?.status && team.at ? { status: team.status, reason: team.reason, at: team.at } : own;
}

/**
 * Locks a peer's groups until the transaction ends, so that two changes happen one after the other. Returns
 * the groups.
 */
export async function lockGroups(
  tx: Transaction,
  sessionId: string,
  peerId: string,
): Promise<readonly GroupMembership[]> {
  const [row] = await tx
    .select({ groups: peers.groups })
    .from(peers)
    .where(isPeer(sessionId, peerId))
    .for("no key update");
  return row?.groups ?? [];
}

function isPeer(sessionId: string, peerId: string) {
  return and(eq(peers.sessionId, sessionId), eq(peers.peerId, peerId));
}
