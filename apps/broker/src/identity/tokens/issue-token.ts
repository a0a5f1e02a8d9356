import { insertToken } from "@merkle/db";
import { limits, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { requireMember } from "../require-member.js";
import { makeToken } from "./token.js";

/** Gives a member a token for programs, or a link that signs one browser in; the secret is in this reply alone (TOKEN-1). */
export async function issueToken(
  ctx: Context<IdentityServices>,
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
      // Whoever found a token, or sat at somebody's browser, must not keep a foot in by issuing another.
      parent: member.token ?? undefined,
      label,
      createdBy: member.memberId,
      seconds,
    });
    afterCommit(() => mesh.announce("members", null));
    return {
      token_id: number,
      token,
      link: kind === "sign_in" ? `${addresses.base()}/sign-in#${token}` : null,
      expires_at: expiresAt.toISOString(),
    };
  });
}

function tooLong(): MerkleError {
  return new MerkleError(
    "bad_request",
    `expires_in_s of a sign-in link is at most ${limits.signInSecondsMax}: who has it is you.`,
    { field: "expires_in_s" },
  );
}
