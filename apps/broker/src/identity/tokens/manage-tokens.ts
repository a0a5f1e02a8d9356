import { findTokenByNumber, insertToken, type KnownToken, listTokenRows } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, type Token } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityContext, IdentityServices } from "../context.js";
import { endCredentials } from "../end-credentials.js";
import { requireMember, toListedMemberId } from "../require-member.js";
import { makeToken } from "./token.js";

/**
 * Issues a token for a member's programs, or a link that signs in one browser. Only this reply contains the
 * secret (TOKEN-1).
 */
export async function issueToken(
  ctx: IdentityContext<IdentityServices>,
  { kind, label, expires_in_s }: ParsedInputOf<"issue_token">,
): Promise<OutputOf<"issue_token">> {
  const { database, addresses, mesh } = ctx.services;
  const member = requireMember(ctx);
  const seconds = expires_in_s ?? { bearer: limits.tokenSeconds, sign_in: limits.signInSeconds }[kind];
  if (kind === "sign_in" && seconds > limits.signInSecondsMax) throw tooLong();

  return ctx.write(async ({ tx, afterCommit }) => {
    const { token, secretHash } = makeToken(kind);
    const { number, expiresAt } = await insertToken(tx, {
      meshId: database.meshId,
      kind,
      secretHash,
      holder: { memberId: member.memberId },
      // The new token ends together with the access that created it, so that someone who briefly uses another
      // person's browser cannot keep access with it.
      authority: member.authority,
      label,
      seconds,
    });
    afterCommit(() => mesh.announce("members", null));
    return {
      token_id: number,
      token,
      link: kind === "sign_in" ? `${addresses.getBaseUrl()}/sign-in#${token}` : null,
      expires_at: expiresAt.toISOString(),
    };
  });
}

function tooLong(): MerkleError {
  return new MerkleError(
    "bad_request",
    `A sign-in link can be valid for at most ${limits.signInSecondsMax} s, because anyone who has it can sign in as you.`,
    { field: "expires_in_s" },
  );
}

/**
 * Lists active tokens, newest first. Admins, and everyone in open mode, see all of the mesh's tokens. Other
 * members see their own (TOKEN-6).
 */
export async function listTokens(ctx: IdentityContext<IdentityServices>): Promise<OutputOf<"list_tokens">> {
  const { database } = ctx.services;
  const rows = await listTokenRows(database.orm, database.meshId, {
    memberId: toListedMemberId(ctx.principal),
    limit: limits.tokensListedMax,
  });
  return { tokens: rows.flatMap((row) => toToken(row) ?? []) };
}

/**
 * Revokes one of the caller's tokens, or any token if the caller is an admin, along with everything obtained
 * with the token (TOKEN-6).
 */
export async function revokeToken(
  ctx: IdentityContext<IdentityServices>,
  { token_id: number }: ParsedInputOf<"revoke_token">,
): Promise<OutputOf<"revoke_token">> {
  const { meshId } = ctx.services.database;
  const { memberId, name, role } = requireMember(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await findTokenByNumber(tx, meshId, number);
    const isOwn = row !== null && (row.memberId === memberId || row.createdBy === memberId);
    if (!row || (role !== "admin" && !isOwn)) throw noSuchToken(number);
    await endCredentials(ctx.services, { tx, afterCommit }, { number, by: name });
    return { token_id: number };
  });
}

function noSuchToken(number: number): MerkleError {
  return new MerkleError("not_found", `You have no active token ${number}.`, { next: "list_tokens" });
}

/**
 * Converts a token to the form shown to members who may revoke it. Returns null for a ticket, which is used up
 * before anyone could revoke it.
 */
function toToken(row: KnownToken): Token | null {
  const { kind, session } = row;
  const sessionId = row.sessionId ?? row.grant?.sessionId;
  if (kind === "ticket") return null;
  return {
    token_id: row.number,
    kind,
    label: row.label,
    member: row.member?.name ?? null,
    session:
      session && sessionId !== undefined
        ? { session_id: sessionId, slug: session.slug, title: session.title }
        : null,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
