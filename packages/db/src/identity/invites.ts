import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { invites, meshes, sessions, tokens } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";
import type { Authority } from "./authority.js";

export interface InviteRow {
  readonly meshId: string;
  readonly number: number;
  readonly role: "admin" | "member";
  /** Id of the member who created the invite. Null if the broker created it. */
  readonly invitedBy: string | null;
  readonly inviter: string;
  /**
   * Number of the program token with which the invite was created, directly or through a descendant token.
   * Null if a person created the invite.
   */
  readonly program: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usesMax: number;
  readonly uses: number;
  readonly revokedAt: Date | null;
  readonly codeExpiresAt: Date | null;
  /** True if the invite has expired by the database's clock, which is authoritative. */
  readonly expired: boolean;
  readonly mesh: string;
  readonly session: { readonly sessionId: string; readonly slug: string; readonly title: string } | null;
}

export interface NewInvite {
  readonly meshId: string;
  readonly secretHash: Uint8Array;
  readonly role: "admin" | "member";
  readonly sessionId: string | null;
  /**
   * Authority of the member who creates the invite. The invite expires no later than the authority's token.
   * Null if the broker creates the invite.
   */
  readonly authority: Authority | null;
  readonly inviter: string;
  readonly usesMax: number;
  readonly seconds: number;
  /** A code that can be spoken, in addition to the secret. Does not contain the invite's number. */
  readonly spoken: { readonly code: string; readonly seconds: number; readonly tries: number } | null;
}

/** Identifies an invite by its number within its mesh. */
export interface InviteKey {
  readonly meshId: string;
  readonly number: number;
}

const others = alias(invites, "others");

/**
 * Inserts an invite under the mesh's next number, and returns the number. The invite expires no later than
 * the token that creates it. The token's row is locked, so a concurrent revocation either happens first and
 * is noticed here, or waits and then ends the invite as well.
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
    codeHash: selectCodeHash(sql`${invite.meshId}::uuid`, number, spoken.code),
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

/**
 * Finds the invite whose link has this secret. Searches all meshes, and includes used, expired and revoked
 * invites.
 */
export async function findInviteBySecret(db: Queryable, secretHash: Uint8Array): Promise<InviteRow | null> {
  const [row] = await selectInvites(db).where(eq(invites.secretHash, secretHash));
  return row ?? null;
}

/**
 * Finds the invite with a spoken code. The code does not name a mesh, so the search covers every invite with
 * this number and a valid code, in all meshes. If no invite matches, each of them loses one try. The same
 * statement counts the tries, so parallel guesses cannot exceed the limit (INVITE-5).
 */
export async function tryInviteCode(
  db: Queryable,
  { number, code }: { readonly number: number; readonly code: string },
): Promise<InviteRow | null> {
  const matches = sql`${invites.codeHash} = ${selectCodeHash(sql`${invites.meshId}`, number, code)}`;
  // A correct code does not cost other invites with the same number a try.
  const isForAnother = sql`EXISTS (
    SELECT FROM ${invites} others WHERE ${others.number} = ${number} AND ${others.meshId} <> ${invites.meshId}
      AND ${others.codeHash} = ${selectCodeHash(sql`${others.meshId}`, number, code)})`;
  const tried = await db
    .update(invites)
    .set({ codeTriesLeft: sql`${invites.codeTriesLeft} - CASE WHEN ${matches} THEN 0 ELSE 1 END` })
    .where(and(eq(invites.number, number), codeIsGood, or(matches, not(isForAnother))))
    .returning({ meshId: invites.meshId, matches: sql<boolean>`${matches}` });
  const hit = tried.find((each) => each.matches);
  return hit ? findInvite(db, { meshId: hit.meshId, number }) : null;
}

export async function findInvite(db: Queryable, key: InviteKey): Promise<InviteRow | null> {
  const [row] = await selectInvites(db).where(isInvite(key));
  return row ?? null;
}

/**
 * Uses an invite once. Returns false if the invite is used up, expired or revoked. Concurrent callers cannot
 * take more uses than remain.
 */
export async function takeInviteUse(tx: Transaction, key: InviteKey): Promise<boolean> {
  const rows = await tx
    .update(invites)
    .set({ uses: sql`${invites.uses} + 1` })
    .where(and(isInvite(key), isOpen))
    .returning({ number: invites.number });
  return rows.length > 0;
}

/** Lists the newest invites in a mesh, or only those that one member created. */
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

/** Ends an open invite. */
export async function endInvite(tx: Transaction, key: InviteKey): Promise<void> {
  await endMatchingInvites(tx, isInvite(key));
}

/** Ends all open invites that a member created. */
export async function endInvitesOfMember(tx: Transaction, meshId: string, memberId: string): Promise<void> {
  await endMatchingInvites(tx, and(eq(invites.meshId, meshId), eq(invites.invitedBy, memberId)));
}

/** Ends all open invites that were created with these tokens. */
export async function endInvitesOfTokens(
  tx: Transaction,
  meshId: string,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  await endMatchingInvites(tx, and(eq(invites.meshId, meshId), inArray(invites.parent, [...numbers])));
}

/** Ends the open invites in a mesh that the broker itself created. */
export async function endOwnInvites(tx: Transaction, meshId: string): Promise<void> {
  await endMatchingInvites(tx, and(eq(invites.meshId, meshId), isNull(invites.invitedBy)));
}

/** Finds open invites by the hashes of their secrets, to detect text that quotes a secret. */
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

/** Deletes invites that expired more than `days` days ago. */
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

/**
 * Hashes a spoken code together with its mesh and invite number. Codes are short, so different invites may
 * have equal codes. Including the mesh and number makes their hashes differ.
 */
function selectCodeHash(meshId: SQL, number: number, code: string): SQL<Uint8Array> {
  return sql`sha256(convert_to(${meshId}::text || ' ' || ${String(number)}::text || ' ' || ${code}::text, 'UTF8'))`;
}

function isInvite({ meshId, number }: InviteKey): SQL | undefined {
  return and(eq(invites.meshId, meshId), eq(invites.number, number));
}

async function endMatchingInvites(tx: Transaction, condition: SQL | undefined): Promise<void> {
  await tx.update(invites).set({ revokedAt: sql`now()` }).where(and(condition, isOpen));
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
