import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { invites, meshes, sessions, tokens } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";
import type { Authority } from "./authority.js";

export interface InviteRow {
  readonly meshId: string;
  readonly number: number;
  readonly role: "admin" | "member";
  /** The member who made it; null for the broker's own. */
  readonly invitedBy: string | null;
  readonly inviter: string;
  /** The token for programs that it was made with, or descends from; null where a person invites. */
  readonly program: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usesMax: number;
  readonly uses: number;
  readonly revokedAt: Date | null;
  readonly codeExpiresAt: Date | null;
  /** By the database's clock, which alone decides. */
  readonly expired: boolean;
  readonly mesh: string;
  readonly session: { readonly sessionId: string; readonly slug: string; readonly title: string } | null;
}

export interface NewInvite {
  readonly meshId: string;
  readonly secretHash: Uint8Array;
  readonly role: "admin" | "member";
  readonly sessionId: string | null;
  /** The authority of the member who makes it, whose token it does not outlast; null for the broker's own. */
  readonly authority: Authority | null;
  readonly inviter: string;
  readonly usesMax: number;
  readonly seconds: number;
  /** A spoken code beside the secret, without its number. */
  readonly spoken: { readonly code: string; readonly seconds: number; readonly tries: number } | null;
}

/** Which invite is meant. */
export interface InviteKey {
  readonly meshId: string;
  readonly number: number;
}

const others = alias(invites, "others");

/**
 * Stores an invite under the next number of its mesh, and returns that. It lasts no longer than the token that it is made
 * with, which is locked: who revokes it at this moment ends the invite after this, or has ended the token before.
 */
export async function insertInvite(
  tx: Transaction,
  { seconds, spoken, authority, ...invite }: NewInvite,
): Promise<number> {
  const [counter] = await tx
    .update(meshes)
    .set({ lastInvite: sql`${meshes.lastInvite} + 1` })
    .where(eq(meshes.meshId, invite.meshId))
    .returning({ number: meshes.lastInvite });
  if (!counter) throw new TypeError("The mesh of the invite was not found.");
  const { number } = counter;
  const code = spoken && {
    codeHash: hashOfCode(sql`${invite.meshId}::uuid`, number, spoken.code),
    codeExpiresAt: sql`now() + make_interval(secs => ${spoken.seconds})`,
    codeTriesLeft: spoken.tries,
  };
  await tx.insert(invites).values({
    ...invite,
    ...code,
    number,
    invitedBy: authority?.vouchedBy,
    parent: authority?.token,
    program: authority?.program,
    createdAt: sql`now()`,
    expiresAt: sql`least(now() + make_interval(secs => ${seconds}), (
      SELECT CASE WHEN parents.revoked_at IS NULL THEN parents.expires_at ELSE now() END FROM ${tokens} parents
      WHERE parents.mesh_id = ${invite.meshId} AND parents.number = ${authority?.token ?? null} FOR SHARE))`,
  });
  return number;
}

/** The invite of a link's secret, in whatever mesh and state. */
export async function findInviteBySecret(db: Queryable, secretHash: Uint8Array): Promise<InviteRow | null> {
  const [row] = await selectInvites(db).where(eq(invites.secretHash, secretHash));
  return row ?? null;
}

/**
 * The invite of a spoken code, which names no mesh: it is looked for among the invites of that number in all of them, as
 * long as their codes are good. When it is nobody's, each of these has one try less, counted in the statement that looks,
 * so that no number of guesses at once is more than the tries there are (INVITE-5).
 */
export async function tryInviteCode(
  db: Queryable,
  { number, code }: { readonly number: number; readonly code: string },
): Promise<InviteRow | null> {
  const matches = sql`${invites.codeHash} = ${hashOfCode(sql`${invites.meshId}`, number, code)}`;
  // Tries of the right one are not counted, nor are any of others that have its number.
  const isForAnother = sql`EXISTS (
    SELECT FROM ${invites} others WHERE ${others.number} = ${number} AND ${others.meshId} <> ${invites.meshId}
      AND ${others.codeHash} = ${hashOfCode(sql`${others.meshId}`, number, code)})`;
  const tried = await db
    .update(invites)
    .set({ codeTriesLeft: sql`${invites.codeTriesLeft} - CASE WHEN ${matches} THEN 0 ELSE 1 END` })
    .where(and(eq(invites.number, number), codeIsGood, or(matches, not(isForAnother))))
    .returning({ meshId: invites.meshId, matches: sql<boolean>`${matches}` });
  const hit = tried.find((each) => each.matches);
  return hit ? findInvite(db, { meshId: hit.meshId, number }) : null;
}

export async function findInvite(db: Queryable, key: InviteKey): Promise<InviteRow | null> {
  const [row] = await selectInvites(db).where(isIt(key));
  return row ?? null;
}

/** Takes one use of an invite, unless it is used up, expired or revoked: of any number who ask at once, as many as it has. */
export async function takeInviteUse(tx: Transaction, key: InviteKey): Promise<boolean> {
  const rows = await tx
    .update(invites)
    .set({ uses: sql`${invites.uses} + 1` })
    .where(and(isIt(key), isOpen))
    .returning({ number: invites.number });
  return rows.length > 0;
}

/** The newest invites of a mesh, or those of one member. */
export async function listInviteRows(
  db: Queryable,
  meshId: string,
  { memberId, limit }: { readonly memberId: string | null; readonly limit: number },
): Promise<InviteRow[]> {
  const isMeant = memberId === null ? undefined : eq(invites.invitedBy, memberId);
  return selectInvites(db)
    .where(and(eq(invites.meshId, meshId), isMeant))
    .orderBy(desc(invites.number))
    .limit(limit);
}

/** Ends an invite that still lets somebody in. */
export async function endInvite(tx: Transaction, key: InviteKey): Promise<void> {
  await endThose(tx, isIt(key));
}

/** Ends what a member could still let others in by. */
export async function endInvitesOfMember(tx: Transaction, meshId: string, memberId: string): Promise<void> {
  await endThose(tx, and(eq(invites.meshId, meshId), eq(invites.invitedBy, memberId)));
}

/** Ends what was made with these tokens. */
export async function endInvitesOfTokens(
  tx: Transaction,
  meshId: string,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  await endThose(tx, and(eq(invites.meshId, meshId), inArray(invites.parent, [...numbers])));
}

/** Ends the invites that the broker itself made in a mesh. */
export async function endOwnInvites(tx: Transaction, meshId: string): Promise<void> {
  await endThose(tx, and(eq(invites.meshId, meshId), isNull(invites.invitedBy)));
}

/** Whether a text quotes invites that still let somebody in. */
export async function findLiveInvites(
  db: Queryable,
  secretHashes: readonly Uint8Array[],
): Promise<InviteKey[]> {
  if (secretHashes.length === 0) return [];
  return db
    .select({ meshId: invites.meshId, number: invites.number })
    .from(invites)
    .where(and(inArray(invites.secretHash, [...secretHashes]), isOpen));
}

/** Forgets invites that let nobody in for so long. */
export async function deleteEndedInvites(db: Queryable, days: number): Promise<number> {
  const before = sql`now() - make_interval(days => ${days})`;
  const { count } = await db.delete(invites).where(lt(invites.expiresAt, before));
  return count;
}

const isOpen = and(
  lt(invites.uses, invites.usesMax),
  gt(invites.expiresAt, sql`now()`),
  isNull(invites.revokedAt),
);

const codeIsGood = and(
  sql`${invites.codeHash} IS NOT NULL`,
  gt(invites.codeTriesLeft, 0),
  gt(invites.codeExpiresAt, sql`now()`),
);

/** A code is short, and hashed with what tells its invite from all others. */
function hashOfCode(meshId: SQL, number: number, code: string): SQL<Uint8Array> {
  return sql`sha256(convert_to(${meshId}::text || ' ' || ${String(number)}::text || ' ' || ${code}::text, 'UTF8'))`;
}

function isIt({ meshId, number }: InviteKey): SQL | undefined {
  return and(eq(invites.meshId, meshId), eq(invites.number, number));
}

async function endThose(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.update(invites).set({ revokedAt: sql`now()` }).where(and(which, isOpen));
}

const { secretHash: _secret, codeHash: _code, ...ownColumns } = getTableColumns(invites);

function selectInvites(db: Queryable) {
  return db
    .select({
      ...ownColumns,
      expired: sql<boolean>`${invites.expiresAt} <= now()`,
      mesh: meshes.name,
      session: { sessionId: sessions.sessionId, slug: sessions.slug, title: sessions.title },
    })
    .from(invites)
    .innerJoin(meshes, eq(meshes.meshId, invites.meshId))
    .leftJoin(sessions, eq(sessions.sessionId, invites.sessionId));
}
