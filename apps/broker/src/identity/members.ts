import {
  endInvitesOfMember,
  endMembership,
  findMember,
  hasAdmin,
  listInvitedBy,
  listMemberRows,
  lockAdmins,
  type MemberRow,
} from "@merkle/db";
import { type Member, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Write } from "../core/write.js";
import type { IdentityContext, IdentityServices } from "./context.js";
import { endCredentials } from "./end-credentials.js";
import { findOwnerId, type MemberPrincipal } from "./principal.js";
import { requireMember } from "./require-member.js";

/**
 * Lists the mesh's members in the order in which they joined, with the member who vouches for each (MEMBER-5).
 * Includes revoked members (MEMBER-1).
 */
export async function listMembers({
  services,
  principal,
}: IdentityContext<IdentityServices>): Promise<OutputOf<"list_members">> {
  const { database } = services;
  const own = findOwnerId(principal);
  const rows = await listMemberRows(database.orm, database.meshId);
  const byId = new Map(rows.map((row) => [row.memberId, row]));
  return {
    members: rows.map((row) => ({
      member_id: row.memberId,
      name: row.name,
      role: row.role,
      public_key: Buffer.from(row.publicKey).toString("base64url"),
      invite_id: row.invite,
      joined_at: row.joinedAt.toISOString(),
      ...describeDescent(row, byId),
      revoked:
        row.revokedAt && row.revokedBy !== null
          ? { by: row.revokedBy, at: row.revokedAt.toISOString() }
          : null,
      own: row.memberId === own,
    })),
  };
}

function describeDescent(
  { memberId, vouchedBy, program }: MemberRow,
  members: ReadonlyMap<string, MemberRow>,
): Pick<Member, "vouching" | "invited_by"> {
  if (vouchedBy === null) return { vouching: "unknown", invited_by: null };
  const inviter = members.get(vouchedBy);
  if (vouchedBy === memberId || !inviter) return { vouching: "broker", invited_by: null };
  const { name, revokedAt } = inviter;
  return {
    vouching: program === null ? "person" : "program",
    invited_by: { member_id: vouchedBy, name, revoked: revokedAt !== null },
  };
}

/**
 * Ends a membership along with its tokens, invites and observer links, and closes the connections that used
 * them (MEMBER-2). The key can never join this mesh again. The member's messages still show the member's name.
 * Members invited by the revoked member stay, unless `with_invited` is set (MEMBER-5).
 *
 * @throws conflict if no member who could invite an admin would be left
 */
export async function revokeMember(
  ctx: IdentityContext<IdentityServices>,
  { member_id: memberId, with_invited: withInvited }: ParsedInputOf<"revoke_member">,
): Promise<OutputOf<"revoke_member">> {
  const { meshId } = ctx.services.database;
  const caller = requireMember(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    // Two admins may revoke each other at the same time. The first succeeds. The second then fails, because
    // the caller is no longer an admin.
    const admins = await lockAdmins(tx, meshId);
    const member = await findMember(tx, meshId, { memberId });
    if (!member) throw noSuchMember(memberId);
    if (!admins.has(caller.memberId)) throw noLongerAdmin(caller);
    const invited = withInvited
      ? await listInvitedBy(tx, { meshId, memberId }, { except: caller.memberId })
      : [];
    for (const each of [member, ...invited])
      await endMember(ctx.services, { tx, afterCommit }, { memberId: each.memberId, by: caller.name });
    if (!(await hasAdmin(tx, meshId))) throw lastAdmin(member);
    return {
      member_id: memberId,
      name: member.name,
      also: invited.map((each) => ({ member_id: each.memberId, name: each.name })),
    };
  });
}

/** Ends a membership and everything that depends on it. Does nothing if the membership has already ended. */
export async function endMember(
  services: IdentityServices,
  { tx, afterCommit }: Pick<Write, "tx" | "afterCommit">,
  { memberId, by }: { readonly memberId: string; readonly by: string },
): Promise<void> {
  const { meshId } = services.database;
  if (!(await endMembership(tx, { meshId, memberId }, by))) return;
  await endInvitesOfMember(tx, meshId, memberId);
  afterCommit(() => services.revocations.revoke({ meshId, memberId }));
  await endCredentials(services, { tx, afterCommit }, { memberId, by });
}

function noSuchMember(memberId: string): MerkleError {
  return new MerkleError("not_found", `There is no member ${memberId} in this mesh.`, {
    next: "list_members",
  });
}

function noLongerAdmin({ name }: MemberPrincipal): MerkleError {
  return new MerkleError(
    "forbidden",
    `${name} is no longer an admin of this mesh, so the member was not revoked.`,
  );
}

export function lastAdmin({ name }: Pick<MemberRow, "name">): MerkleError {
  return new MerkleError(
    "conflict",
    `${name} is the last admin of this mesh, and without an admin no one could invite another. Invite another admin first.`,
  );
}
