import { findInvite, insertInvite } from "@merkle/db";
import { limits, MerkleError, type OutputOf, type ParsedInputOf, writeInviteCode } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { requireMember } from "../require-member.js";
import { toInvite } from "./invite-output.js";
import { makeInviteCode, makeInviteSecret, writeInviteLink } from "./invite-secret.js";

type Input = ParsedInputOf<"create_invite">;

/**
 * Makes an invite to the mesh, perhaps to one of its sessions. Its secret and code are in this reply alone (INVITE-1).
 *
 * @throws forbidden when somebody who is no admin invites one
 */
export async function createInvite(
  ctx: Context<IdentityServices>,
  input: Input,
): Promise<OutputOf<"create_invite">> {
  const { services } = ctx;
  const { meshId } = services.database;
  const member = requireMember(ctx);
  if (input.role === "admin" && member.role !== "admin") throw adminsOnly();
  const sessionId = await findSessionId(services, input.session_id);

  return ctx.write(async ({ tx, afterCommit }) => {
    const { secret, secretHash } = makeInviteSecret();
    const code = input.code ? makeInviteCode() : null;
    const number = await insertInvite(tx, {
      meshId,
      secretHash,
      role: input.role,
      sessionId,
      invitedBy: member.memberId,
      inviter: member.name,
      // As with tokens: who found one must not keep a foot in by an invite.
      parent: member.token ?? undefined,
      usesMax: input.uses,
      seconds: input.expires_in_s,
      spoken:
        code === null ? null : { code, seconds: limits.inviteCodeSeconds, tries: limits.inviteCodeTries },
    });
    const row = await findInvite(tx, { meshId, number });
    if (!row) throw new TypeError("An invite was not stored.");
    afterCommit(() => services.mesh.announce("members", null));
    return {
      ...toInvite(row, member.memberId),
      link: writeInviteLink(services.addresses.base(), secret),
      code: code === null ? null : writeInviteCode(number, code),
      code_expires_at: row.codeExpiresAt?.toISOString() ?? null,
    };
  });
}

async function findSessionId(
  { sessions }: IdentityServices,
  ref: string | undefined,
): Promise<string | null> {
  if (ref === undefined) return null;
  const session = await sessions.find(ref);
  if (session) return session.sessionId;
  throw new MerkleError("not_found", `There is no session "${ref}". list_sessions shows those there are.`);
}

function adminsOnly(): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only an admin may invite an admin. Ask an admin of this mesh to do it.",
  );
}
