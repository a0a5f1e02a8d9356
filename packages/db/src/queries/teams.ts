import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Queryable, Transaction } from "../open-database.js";
import { peers, personReads, sessions, teams } from "../schema.js";
import type { LiveSecret } from "./persons.js";

export interface TeamRow {
  readonly sessionId: string;
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human";
  /** Null for a person's team, which the person's credential proves. */
  readonly secretHash: Uint8Array | null;
  readonly personId: string | null;
  readonly joinedAt: Date;
  readonly leftAt: Date | null;
}

/** A team and the peer through which it reads and writes. */
export interface TeamWithPeer extends TeamRow {
  readonly peer: PeerRow;
}

export interface PeerRow {
  readonly peerId: string;
  readonly name: string | null;
  readonly acked: number;
  readonly offered: number;
  readonly returned: number;
  readonly documentVersion: number;
  readonly idlePolls: number;
  readonly lastSeenAt: Date | null;
}

const columns = {
  sessionId: teams.sessionId,
  teamId: teams.teamId,
  name: teams.name,
  kind: teams.kind,
  secretHash: teams.secretHash,
  personId: teams.personId,
  joinedAt: teams.joinedAt,
  leftAt: teams.leftAt,
  peer: {
    peerId: peers.peerId,
    name: peers.name,
    acked: peers.acked,
    offered: peers.offered,
    returned: peers.returned,
    documentVersion: peers.documentVersion,
    idlePolls: peers.idlePolls,
    lastSeenAt: peers.lastSeenAt,
  },
};

const ofTeam = and(eq(peers.sessionId, teams.sessionId), eq(peers.teamId, teams.teamId));

export async function findTeam(
  db: Queryable,
  sessionId: string,
  teamId: string,
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(columns)
    .from(teams)
    .innerJoin(peers, ofTeam)
    .where(and(eq(teams.sessionId, sessionId), eq(teams.teamId, teamId)));
  return row ?? null;
}

/** The team that a person is in a session, left or not. */
export async function findTeamOfPerson(
  db: Queryable,
  sessionId: string,
  personId: string,
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(columns)
    .from(teams)
    .innerJoin(peers, ofTeam)
    .where(and(eq(teams.sessionId, sessionId), eq(teams.personId, personId)));
  return row ?? null;
}

/** The session that a team belongs to, whichever of the mesh's it is. */
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

/** A row of a roster. */
export interface RosterRow extends TeamWithPeer {
  /** How far its person has read; null for an agents' team, and for a person who has acknowledged nothing. */
  readonly personLastRead: number | null;
}

/** Everybody who ever joined, in the order of joining. */
export async function listTeams(db: Queryable, meshId: string, sessionId: string): Promise<RosterRow[]> {
  return db
    .select({ ...columns, personLastRead: personReads.lastRead })
    .from(teams)
    .innerJoin(peers, ofTeam)
    .leftJoin(
      personReads,
      and(
        eq(personReads.meshId, meshId),
        eq(personReads.personId, teams.personId),
        eq(personReads.sessionId, teams.sessionId),
      ),
    )
    .where(eq(teams.sessionId, sessionId))
    .orderBy(asc(teams.joinedAt), asc(teams.teamId));
}

/** The secret hashes of those of these ids that are teams', in any session: to tell whether a text quotes a live credential. */
export async function findTeamSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: teams.teamId, secretHash: sql<Uint8Array>`${teams.secretHash}` })
    .from(teams)
    .where(
      and(inArray(teams.teamId, [...ids]), sql`${teams.leftAt} IS NULL AND ${teams.secretHash} IS NOT NULL`),
    );
}

/** The names of a session's teams that are `name` or `name (number)`, in lower case. */
export async function listNamesLike(tx: Transaction, sessionId: string, name: string): Promise<Set<string>> {
  const folded = name.toLowerCase();
  const rows = await tx
    .select({ name: sql<string>`lower(${teams.name})` })
    .from(teams)
    .where(eq(teams.sessionId, sessionId));
  return new Set(rows.map((row) => row.name).filter((taken) => taken.startsWith(folded)));
}

export interface NewTeam {
  readonly sessionId: string;
  readonly teamId: string;
  readonly name: string;
  /** What proves it: a secret of its own, or a person's credential. */
  readonly provedBy: { readonly secretHash: Uint8Array } | { readonly personId: string };
  readonly joinedAt: Date;
}

/** Stores a team; false when its name was taken in the meantime. */
export async function insertTeam(tx: Transaction, { provedBy, ...team }: NewTeam): Promise<boolean> {
  const kind = "personId" in provedBy ? "human" : "agent";
  const inserted = await tx
    .insert(teams)
    .values({ ...team, ...provedBy, kind })
    .onConflictDoNothing()
    .returning({ teamId: teams.teamId });
  return inserted.length === 1;
}

/** Gives a team its unnamed peer, which has read up to `cursor`. */
export async function insertPeer(
  tx: Transaction,
  peer: { sessionId: string; teamId: string; peerId: string; cursor: number; documentVersion: number },
): Promise<void> {
  const { cursor, ...row } = peer;
  await tx.insert(peers).values({ ...row, acked: cursor, offered: cursor, returned: cursor });
}

/** Puts a peer's cursors where a joiner starts, back as well as forward. */
export async function placeCursor(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  cursor: number,
): Promise<void> {
  await tx
    .update(peers)
    .set({ acked: cursor, offered: cursor, returned: cursor })
    .where(and(eq(peers.sessionId, sessionId), eq(peers.peerId, peerId)));
}

/** Sets when a team left, or null when it is back; false when it already was so. */
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
