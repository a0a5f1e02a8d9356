import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { clientGrants, members, meshes, sessions, tokens } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";
import type { Authority } from "./authority.js";
import { endInvitesOfMember, endInvitesOfTokens } from "./invites.js";

export type TokenKind = "bearer" | "browser" | "sign_in" | "ticket" | "observer" | "client";

export interface TokenRow {
  readonly meshId: string;
  readonly number: number;
  readonly kind: TokenKind;
  /** Id of the member whom the token authenticates. Null for an observer. */
  readonly memberId: string | null;
  /** Id of the session that an observer may read. Null for a member's token. */
  readonly sessionId: string | null;
  /** Number of the token with which this token was obtained. Null if a key was used. */
  readonly parent: number | null;
  /** Number of the program token that this token is or descends from. Null if a person vouches. */
  readonly program: number | null;
  readonly label: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
  /** When the token was revoked or used up. Null if neither has happened. */
  readonly revokedAt: Date | null;
}

/** A token, with the member, session or grant that it is valid for. */
export interface KnownToken extends TokenRow {
  /** The one session and team that a client's token is valid for. Null for other tokens. */
  readonly grant: { readonly sessionId: string; readonly teamId: string } | null;
  readonly member: { readonly name: string; readonly role: "admin" | "member" } | null;
  readonly session: { readonly slug: string; readonly title: string } | null;
}

export interface NewToken {
  readonly meshId: string;
  readonly kind: TokenKind;
  readonly secretHash: Uint8Array;
  readonly holder: { readonly memberId: string } | { readonly sessionId: string };
  /** Authority of the caller that obtains this token. */
  readonly authority: Authority;
  readonly label?: string | undefined;
  /** Lifetime in seconds, measured by the database's clock. */
  readonly seconds: number;
}

/** How exactly the time of last use is recorded, so that few requests need to write. */
const useNotedMs = 60_000;

const { secretHash: _hash, ...ownColumns } = getTableColumns(tokens);
const parents = alias(tokens, "parents");
const programs = alias(tokens, "programs");

/** Inserts a token under the mesh's next number. The token expires no later than its parent. */
export async function insertToken(
  tx: Transaction,
  { holder, authority, seconds, ...token }: NewToken,
): Promise<{ number: number; expiresAt: Date }> {
  const [counter] = await tx
    .update(meshes)
    .set({ lastToken: sql`${meshes.lastToken} + 1` })
    .where(eq(meshes.meshId, token.meshId))
    .returning({ number: meshes.lastToken });
  if (!counter) throw new TypeError("The mesh of the token was not found.");
  const [row] = await tx
    .insert(tokens)
    .values({
      ...token,
      ...holder,
      number: counter.number,
      parent: authority.token,
      program: isForPrograms(token.kind, authority.token) ? counter.number : authority.program,
      createdBy: authority.vouchedBy,
      createdAt: sql`now()`,
      expiresAt: selectExpiry({ meshId: token.meshId, parent: authority.token, seconds }),
    })
    .returning({ number: tokens.number, expiresAt: tokens.expiresAt });
  if (!row) throw new TypeError("A token was not stored.");
  return row;
}

/**
 * Returns true for a program token, which is a bearer token created with another token or in a browser. The
 * command line's own token does not count: it is created with the member's key and has the same rights as the
 * key.
 */
export function isForPrograms(kind: TokenKind, parent: number | null): boolean {
  return kind === "bearer" && parent !== null;
}

/** Finds a token, whether valid or not, so that an error message can explain why it is invalid. */
export async function findToken(db: Queryable, secretHash: Uint8Array): Promise<TokenRow | null> {
  const [row] = await db.select(ownColumns).from(tokens).where(eq(tokens.secretHash, secretHash));
  return row ?? null;
}

/**
 * Finds a valid token in any mesh, and records its use to the minute. Returns null if there is none. A token
 * becomes invalid when it expires, is revoked or used up, when its member is revoked, or when its parent
 * ends.
 */
export async function useToken(db: Queryable, secretHash: Uint8Array): Promise<KnownToken | null> {
  const [row] = await selectKnown(db).where(and(eq(tokens.secretHash, secretHash), inForce));
  if (!row) return null;
  const { meshId, number, lastUsedAt } = row;
  // If a token is used often, nearly all of its requests only read.
  const isNoted = lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < useNotedMs;
  if (!isNoted) {
    await db
      .update(tokens)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(tokens.meshId, meshId), eq(tokens.number, number)));
  }
  return row;
}

/**
 * Uses up a valid one-time token. Returns null if there is none. If several callers race, exactly one gets
 * the token.
 */
export async function takeToken(db: Queryable, secretHash: Uint8Array): Promise<KnownToken | null> {
  const [taken] = await db
    .update(tokens)
    .set({ lastUsedAt: sql`now()`, revokedAt: sql`now()` })
    .where(and(eq(tokens.secretHash, secretHash), inForce))
    .returning({ meshId: tokens.meshId, number: tokens.number });
  if (!taken) return null;
  const [row] = await selectKnown(db).where(
    and(eq(tokens.meshId, taken.meshId), eq(tokens.number, taken.number)),
  );
  return row ?? null;
}

/**
 * Gives a valid token a new secret and a new lifetime, which cannot exceed that of its parent. Returns null
 * if the token has ended.
 */
export async function renewToken(
  tx: Transaction,
  { meshId, number }: Pick<TokenRow, "meshId" | "number">,
  { secretHash, seconds }: Pick<NewToken, "secretHash" | "seconds">,
): Promise<Date | null> {
  const [row] = await tx
    .update(tokens)
    .set({ secretHash, expiresAt: selectExpiry({ meshId, parent: tokens.parent, seconds }) })
    .where(and(eq(tokens.meshId, meshId), eq(tokens.number, number), inForce))
    .returning({ expiresAt: tokens.expiresAt });
  return row?.expiresAt ?? null;
}

/**
 * Lists valid tokens, newest first: all tokens in the mesh, or only those that a member holds or created.
 * Leaves out tickets.
 */
export async function listTokenRows(
  db: Queryable,
  meshId: string,
  { memberId, limit }: { readonly memberId: string | null; readonly limit: number },
): Promise<KnownToken[]> {
  const isListed = sql`${tokens.kind} <> 'ticket'`;
  return selectKnown(db)
    .where(
      and(eq(tokens.meshId, meshId), memberId === null ? undefined : isOf([memberId]), isListed, inForce),
    )
    .orderBy(desc(tokens.number))
    .limit(limit);
}

/** Finds a valid token by its number. Returns null if there is no such token. */
export async function findTokenByNumber(
  db: Queryable,
  meshId: string,
  number: number,
): Promise<KnownToken | null> {
  const [row] = await selectKnown(db).where(
    and(eq(tokens.meshId, meshId), eq(tokens.number, number), inForce),
  );
  return row ?? null;
}

/** Tokens and members that ended together. Everything that depends on them must be notified. */
export interface EndedCredentials {
  readonly tokens: readonly number[];
  readonly members: readonly string[];
}

/**
 * Ends one token, or all tokens that a member holds or created. Also ends everything obtained with these
 * tokens: further tokens, open invites, and the members that a program admitted, with those members' tokens
 * and invites. Members invited by a person stay (TOKEN-4).
 *
 * @param by - name of the person or program that revokes the tokens
 */
export async function endTokens(
  tx: Transaction,
  of: { readonly meshId: string } & ({ readonly number: number } | { readonly memberId: string }),
  by: string,
): Promise<EndedCredentials> {
  const { meshId } = of;
  const first = "number" in of ? eq(tokens.number, of.number) : isOf([of.memberId]);
  const ended = { tokens: await endMatchingTokens(tx, meshId, first), members: [] as string[] };
  let admittedIds = await endAdmittedMembers(tx, meshId, ended.tokens, by);
  while (admittedIds.length > 0) {
    ended.members.push(...admittedIds);
    const theirs = await endMatchingTokens(tx, meshId, isOf(admittedIds));
    ended.tokens.push(...theirs);
    admittedIds = await endAdmittedMembers(tx, meshId, theirs, by);
  }
  return ended;
}

/**
 * Ends the memberships of the members that these program tokens admitted, and those members' open invites.
 */
async function endAdmittedMembers(
  tx: Transaction,
  meshId: string,
  programs: readonly number[],
  by: string,
): Promise<string[]> {
  if (programs.length === 0) return [];
  const rows = await tx
    .update(members)
    .set({ revokedAt: sql`now()`, revokedBy: by })
    .where(
      and(eq(members.meshId, meshId), inArray(members.program, [...programs]), isNull(members.revokedAt)),
    )
    .returning({ memberId: members.memberId });
  for (const { memberId } of rows) await endInvitesOfMember(tx, meshId, memberId);
  return rows.map(({ memberId }) => memberId);
}

/** Members and tokens on which a connection or other resource depends, with their meshes. */
export interface CredentialDependencies {
  readonly members: readonly { readonly meshId: string; readonly memberId: string }[];
  readonly tokens: readonly { readonly meshId: string; readonly number: number }[];
}

/** Returns which of the given members and tokens have been revoked, by id and number. */
export async function listRevoked(
  db: Queryable,
  { members, tokens: requestedTokens }: CredentialDependencies,
): Promise<{ readonly memberIds: ReadonlySet<string>; readonly tokens: ReadonlySet<string> }> {
  const [memberRows, tokenRows] = await Promise.all([
    members.length === 0
      ? []
      : db.execute<{ id: string }>(sql`
          SELECT m.member_id AS id
          FROM json_to_recordset(${JSON.stringify(members)}::text::json) AS a ("meshId" uuid, "memberId" uuid)
          JOIN members m ON m.mesh_id = a."meshId" AND m.member_id = a."memberId"
          WHERE m.revoked_at IS NOT NULL`),
    requestedTokens.length === 0
      ? []
      : db.execute<{ id: string }>(sql`
          SELECT a."meshId" || ' ' || a.number AS id
          FROM json_to_recordset(${JSON.stringify(requestedTokens)}::text::json) AS a ("meshId" uuid, number integer)
          LEFT JOIN ${tokens} t ON t.mesh_id = a."meshId" AND t.number = a.number
          WHERE t.number IS NULL OR t.revoked_at IS NOT NULL`),
  ]);
  return {
    memberIds: new Set(memberRows.map(({ id }) => id)),
    tokens: new Set(tokenRows.map(({ id }) => id)),
  };
}

/**
 * Deletes tokens that ended more than `days` days ago, and tickets one hour after they ended. Returns how
 * many were deleted. Members admitted by an expired program token can no longer use the mesh anyway. They are
 * marked as revoked first, because the reason is lost once the token is deleted.
 */
export async function deleteEndedTokens(db: Queryable, days: number): Promise<number> {
  await db
    .update(members)
    .set({ revokedAt: sql`now()`, revokedBy: sql`'the end of token ' || ${members.program}` })
    .where(and(isNotNull(members.program), isNull(members.revokedAt), not(isLive(members))));
  const endedAt = sql`least(${tokens.expiresAt}, ${tokens.revokedAt})`;
  const rows = await db
    .delete(tokens)
    .where(
      sql`${endedAt} < now() - CASE WHEN ${tokens.kind} = 'ticket' THEN interval '1 hour' ELSE make_interval(days => ${days}) END`,
    )
    .returning({ number: tokens.number });
  return rows.length;
}

/** Returns the valid tokens with these hashes, to detect text that quotes a token. */
export async function findLiveTokens(
  db: Queryable,
  secretHashes: readonly Uint8Array[],
): Promise<{ number: number; kind: TokenKind }[]> {
  if (secretHashes.length === 0) return [];
  return db
    .select({ number: tokens.number, kind: tokens.kind })
    .from(tokens)
    .where(and(inArray(tokens.secretHash, [...secretHashes]), inForce));
}

/**
 * Returns the condition that the program token behind a row is valid, or that a person vouches for the row.
 */
function isLive({
  meshId,
  program,
}:
  | { meshId: typeof tokens.meshId; program: typeof tokens.program }
  | { meshId: typeof members.meshId; program: typeof members.program }): SQL {
  return sql`(${program} IS NULL OR EXISTS (
    SELECT FROM ${tokens} programs WHERE ${programs.meshId} = ${meshId} AND ${programs.number} = ${program}
      AND ${programs.revokedAt} IS NULL AND ${programs.expiresAt} > now()))`;
}

/**
 * Condition that a token is valid. A token depends on its parent, because everything obtained with a token
 * ends together with it.
 */
const inForce = sql`${tokens.revokedAt} IS NULL AND ${tokens.expiresAt} > now() AND ${isLive(tokens)}
  AND (${tokens.memberId} IS NULL OR EXISTS (
    SELECT FROM ${members} WHERE ${members.meshId} = ${tokens.meshId}
      AND ${members.memberId} = ${tokens.memberId} AND ${members.revokedAt} IS NULL))
  AND NOT EXISTS (
    SELECT FROM ${tokens} parents WHERE ${parents.meshId} = ${tokens.meshId} AND ${parents.number} = ${tokens.parent}
      AND (${parents.revokedAt} IS NOT NULL OR ${parents.expiresAt} <= now()))`;

function selectExpiry(of: {
  readonly meshId: string;
  readonly parent: number | null | typeof tokens.parent;
  readonly seconds: number;
}): SQL {
  return sql`least(now() + make_interval(secs => ${of.seconds}), (
    SELECT ${parents.expiresAt} FROM ${tokens} parents
    WHERE ${parents.meshId} = ${of.meshId} AND ${parents.number} = ${of.parent}))`;
}

function isOf(memberIds: readonly string[]): SQL | undefined {
  return or(inArray(tokens.memberId, [...memberIds]), inArray(tokens.createdBy, [...memberIds]));
}

async function endMatchingTokens(
  tx: Transaction,
  meshId: string,
  condition: SQL | undefined,
): Promise<number[]> {
  const rows = await tx.execute<{ number: number }>(sql`
    WITH RECURSIVE ended AS (
      SELECT ${tokens.number} FROM ${tokens} WHERE ${and(eq(tokens.meshId, meshId), condition)}
      UNION
      SELECT ${tokens.number} FROM ${tokens} JOIN ended ON ${tokens.parent} = ended.number
      WHERE ${tokens.meshId} = ${meshId}
    )
    UPDATE ${tokens} SET revoked_at = now() WHERE ${tokens.meshId} = ${meshId}
      AND ${tokens.number} IN (SELECT number FROM ended) AND ${tokens.revokedAt} IS NULL
    RETURNING ${tokens.number} AS number`);
  const numbers = [...rows].map((row) => row.number);
  await endInvitesOfTokens(tx, meshId, numbers);
  return numbers;
}

function selectKnown(db: Queryable) {
  return db
    .select({
      ...ownColumns,
      member: { name: members.name, role: members.role },
      session: { slug: sessions.slug, title: sessions.title },
      grant: { sessionId: clientGrants.sessionId, teamId: clientGrants.teamId },
    })
    .from(tokens)
    .leftJoin(members, and(eq(members.meshId, tokens.meshId), eq(members.memberId, tokens.memberId)))
    .leftJoin(
      clientGrants,
      and(eq(clientGrants.meshId, tokens.meshId), eq(clientGrants.number, tokens.number)),
    )
    .leftJoin(
      sessions,
      eq(sessions.sessionId, sql`coalesce(${tokens.sessionId}, ${clientGrants.sessionId})`),
    );
}
