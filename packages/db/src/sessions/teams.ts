import { and, asc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import { feeds, peers, sessions, teams } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";
import type { LiveSecret } from "../identity/persons.js";
import { lockSession } from "./sessions.js";

export interface TeamRow {
  readonly sessionId: string;
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  /** Hash of the team's secret. Null for a person's team, which the person's credential authenticates. */
  readonly secretHash: Uint8Array | null;
  readonly personId: string | null;
  /** Id of the member who owns the team. Null if the team was created in open mode. */
  readonly memberId: string | null;
  readonly joinedAt: Date;
  readonly leftAt: Date | null;
}

/**
 * A team and one of its peers. The peer is a named peer, or the unnamed peer that represents the team itself.
 */
export interface TeamWithPeer extends TeamRow {
  readonly peer: PeerRow;
}

export interface PeerRow {
  readonly peerId: string;
  readonly name: string | null;
  readonly acked: number;
  readonly offered: number;
  readonly returned: number;
  readonly repeated: number;
  /** True if the peer has not yet been notified that the database was restored. */
  readonly resync: boolean;
  readonly documentVersion: number;
  readonly idlePolls: number;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  /**
   * Hash of the peer's secret. Null for an unnamed peer, which the credential of its team or person
   * authenticates.
   */
  readonly secretHash: Uint8Array | null;
  readonly leftAt: Date | null;
}

export const teamWithPeerColumns = {
  sessionId: teams.sessionId,
  teamId: teams.teamId,
  name: teams.name,
  kind: teams.kind,
  secretHash: teams.secretHash,
  personId: teams.personId,
  memberId: teams.memberId,
  joinedAt: teams.joinedAt,
  leftAt: teams.leftAt,
  peer: {
    peerId: peers.peerId,
    name: peers.name,
    acked: peers.acked,
    offered: peers.offered,
    returned: peers.returned,
    repeated: peers.repeated,
    resync: peers.resync,
    documentVersion: peers.documentVersion,
    idlePolls: peers.idlePolls,
    lastSeenAt: peers.lastSeenAt,
    lastPolledAt: peers.lastPolledAt,
    secretHash: peers.secretHash,
    leftAt: peers.leftAt,
  },
};

const itsUnnamedPeer = and(
  eq(peers.sessionId, teams.sessionId),
  eq(peers.teamId, teams.teamId),
  isNull(peers.name),
);

/** Finds a team and its unnamed peer, whether or not the team has left. */
export async function findTeam(
  db: Queryable,
  sessionId: string,
  teamId: string,
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(teamWithPeerColumns)
    .from(teams)
    .innerJoin(peers, itsUnnamedPeer)
    .where(and(eq(teams.sessionId, sessionId), eq(teams.teamId, teamId)));
  return row ?? null;
}

/** Finds a person's team in a session, whether or not the team has left. */
export async function findTeamOfPerson(
  db: Queryable,
  sessionId: string,
  personId: string,
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(teamWithPeerColumns)
    .from(teams)
    .innerJoin(peers, itsUnnamedPeer)
    .where(and(eq(teams.sessionId, sessionId), eq(teams.personId, personId)));
  return row ?? null;
}

/** Lists up to `limit` teams that have not left a session. */
export async function listTeamIds(db: Queryable, sessionId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ teamId: teams.teamId })
    .from(teams)
    .where(and(eq(teams.sessionId, sessionId), isNull(teams.leftAt)))
    .limit(limit);
  return rows.map(({ teamId }) => teamId);
}

/**
 * Finds a member's own team in a session by name, ignoring case, whether or not the team has left. Never
 * returns a person's team.
 */
export async function findTeamOfMember(
  db: Queryable,
  sessionId: string,
  { memberId, name }: { readonly memberId: string; readonly name: string },
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(teamWithPeerColumns)
    .from(teams)
    .innerJoin(peers, itsUnnamedPeer)
    .where(
      and(
        eq(teams.sessionId, sessionId),
        eq(teams.memberId, memberId),
        isNull(teams.personId),
        sql`lower(${teams.name}) = lower(${name})`,
      ),
    );
  return row ?? null;
}

/** Finds another open session of the mesh in which a member still has a team of agents. */
export async function findTeamElsewhere(
  db: Queryable,
  member: { readonly meshId: string; readonly memberId: string; readonly sessionId: string | null },
): Promise<{ slug: string; team: string } | null> {
  const { meshId, memberId, sessionId } = member;
  const [row] = await db
    .select({ slug: sessions.slug, team: teams.name })
    .from(teams)
    .innerJoin(sessions, eq(sessions.sessionId, teams.sessionId))
    .innerJoin(feeds, eq(feeds.sessionId, teams.sessionId))
    .where(
      and(
        eq(sessions.meshId, meshId),
        eq(teams.memberId, memberId),
        isNull(teams.personId),
        isNull(teams.leftAt),
        isNull(feeds.closedAt),
        sessionId === null ? undefined : ne(teams.sessionId, sessionId),
      ),
    )
    .orderBy(asc(teams.joinedAt))
    .limit(1);
  return row ?? null;
}

/** Finds the session that a team belongs to, among all sessions of the mesh. */
export async function findSessionOfTeam(
  db: Queryable,
  meshId: string,
  teamId: string,
): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: teams.sessionId })
    .from(teams)
    .innerJoin(sessions, eq(sessions.sessionId, teams.sessionId))
    .where(and(eq(teams.teamId, teamId), eq(sessions.meshId, meshId)));
  return row?.sessionId ?? null;
}

/** Finds a team in a session by its id or by its name, ignoring case, whether or not the team has left. */
export async function findTeamId(db: Queryable, sessionId: string, nameOrId: string): Promise<string | null> {
  const isNamed = sql`(lower(${teams.name}) = lower(${nameOrId}) OR ${teams.teamId}::text = lower(${nameOrId}))`;
  const [row] = await db
    .select({ teamId: teams.teamId })
    .from(teams)
    .where(and(eq(teams.sessionId, sessionId), isNamed));
  return row?.teamId ?? null;
}

/**
 * Returns the secret hashes of the teams that these ids belong to, in any session, to detect text that quotes
 * a valid credential. Other ids are ignored.
 */
export async function findTeamSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: teams.teamId, secretHash: sql<Uint8Array>`${teams.secretHash}` })
    .from(teams)
    .where(
      and(inArray(teams.teamId, [...ids]), sql`${teams.leftAt} IS NULL AND ${teams.secretHash} IS NOT NULL`),
    );
}

/**
 * Lists a session's team names that begin with `name`, such as `name (2)`. Case is ignored, and the returned
 * names are in lower case.
 */
export async function listNamesLike(
  db: Queryable | Transaction,
  sessionId: string,
  name: string,
): Promise<Set<string>> {
  const folded = name.toLowerCase();
  const rows = await db
    .select({ name: sql<string>`lower(${teams.name})` })
    .from(teams)
    .where(eq(teams.sessionId, sessionId));
  return new Set(rows.map((row) => row.name).filter((taken) => taken.startsWith(folded)));
}

export interface NewTeam {
  readonly sessionId: string;
  readonly teamId: string;
  readonly name: string;
  /** The credential that authenticates the team: its own secret, or a person's credential. */
  readonly provedBy:
    | { readonly secretHash: Uint8Array }
    | { readonly personId: string; readonly verified: boolean };
  /** Id of the member who owns the team. Null in open mode. */
  readonly memberId: string | null;
  readonly joinedAt: Date;
}

/**
 * Inserts a team with the next free colour. Returns false if another team has taken the name in the meantime.
 * Locks the session, so that two teams that join at the same time get different colours.
 */
export async function insertTeam(tx: Transaction, { provedBy, ...team }: NewTeam): Promise<boolean> {
  await lockSession(tx, team.sessionId);
  const proof =
    "personId" in provedBy
      ? { personId: provedBy.personId, kind: provedBy.verified ? ("human" as const) : ("guest" as const) }
      : { secretHash: provedBy.secretHash, kind: "agent" as const };
  const colour = sql<number>`(SELECT coalesce(max(${teams.colour}) + 1, 0) FROM ${teams}
    WHERE ${teams.sessionId} = ${team.sessionId})`;
  const inserted = await tx
    .insert(teams)
    .values({ ...team, ...proof, colour })
    .onConflictDoNothing()
    .returning({ teamId: teams.teamId });
  return inserted.length === 1;
}

/**
 * Locks a team's row until the transaction ends, so that the team's peers join and leave one after another.
 */
export async function lockTeam(tx: Transaction, sessionId: string, teamId: string): Promise<void> {
  await tx.execute(
    sql`SELECT FROM ${teams} WHERE ${teams.sessionId} = ${sessionId} AND ${teams.teamId} = ${teamId} FOR NO KEY UPDATE`,
  );
}

/** Sets the time when a team left, or null if it is back. Returns false if this changed nothing. */
export async function setLeft(
  tx: Transaction,
  sessionId: string,
  teamId: string,
  leftAt: Date | null,
): Promise<boolean> {
  const changed = await tx
    .update(teams)
    .set({ leftAt })
    .where(
      and(
        eq(teams.sessionId, sessionId),
        eq(teams.teamId, teamId),
        sql`(${teams.leftAt} IS NULL) <> ${leftAt === null}`,
      ),
    )
    .returning({ teamId: teams.teamId });
  return changed.length === 1;
}

export async function replaceSecret(
  tx: Transaction,
  sessionId: string,
  teamId: string,
  secretHash: Uint8Array,
): Promise<void> {
  await tx
    .update(teams)
    .set({ secretHash })
    .where(and(eq(teams.sessionId, sessionId), eq(teams.teamId, teamId)));
}
