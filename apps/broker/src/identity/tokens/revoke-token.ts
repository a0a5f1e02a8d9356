import { endToken, findTokenByNumber } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { requireMember } from "../require-member.js";

/** Ends a token with whatever was got by it, one's own or as an admin anybody's (TOKEN-6). */
export async function revokeToken(
  ctx: Context<IdentityServices>,
  { token_id: number }: ParsedInputOf<"revoke_token">,
): Promise<OutputOf<"revoke_token">> {
  const { database, revocations, mesh } = ctx.services;
  const { meshId } = database;
  const { memberId, role } = requireMember(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await findTokenByNumber(tx, meshId, number);
    const isOwn = row !== null && (row.memberId === memberId || row.createdBy === memberId);
    if (!row || (role !== "admin" && !isOwn)) throw noSuchToken(number);
    const ended = await endToken(tx, meshId, number);
    afterCommit(() => {
      for (const token of ended) revocations.revoke({ meshId, token });
      mesh.announce("members", null);
    });
    return { token_id: number };
  });
}

function noSuchToken(number: number): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no token ${number} of yours in force. list_tokens shows those there are.`,
  );
}
