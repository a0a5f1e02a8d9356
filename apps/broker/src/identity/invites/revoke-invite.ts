import { endInvite, findInvite } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { requireMember } from "../require-member.js";
import { stateOf } from "./invite-output.js";

/** Ends an invite, one's own or as an admin anybody's; one that lets nobody in any more stays as it is (INVITE-8). */
export async function revokeInvite(
  ctx: Context<IdentityServices>,
  { invite_id: number }: ParsedInputOf<"revoke_invite">,
): Promise<OutputOf<"revoke_invite">> {
  const { mesh, database } = ctx.services;
  const { memberId, role } = requireMember(ctx);
  const key = { meshId: database.meshId, number };
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await findInvite(tx, key);
    if (!row || (role !== "admin" && row.invitedBy !== memberId)) throw noSuchInvite(number);
    await endInvite(tx, key);
    afterCommit(() => mesh.announce("members", null));
    const ended = await findInvite(tx, key);
    return { invite_id: number, state: stateOf(ended ?? row) };
  });
}

function noSuchInvite(number: number): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no invite ${number} of yours. list_invites shows those there are.`,
  );
}
