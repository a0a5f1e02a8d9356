import { listMemberRows } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { ownerOf } from "../principal.js";

/** Lists who belongs to the mesh, in the order of joining, revoked ones included (MEMBER-1). */
export async function listMembers({
  services,
  principal,
}: Context<IdentityServices>): Promise<OutputOf<"list_members">> {
  const { database } = services;
  const own = ownerOf(principal);
  const rows = await listMemberRows(database.orm, database.meshId);
  return {
    members: rows.map((row) => ({
      member_id: row.memberId,
      name: row.name,
      role: row.role,
      public_key: Buffer.from(row.publicKey).toString("base64url"),
      invite_id: row.invite,
      joined_at: row.joinedAt.toISOString(),
      revoked:
        row.revokedAt && row.revokedBy !== null
          ? { by: row.revokedBy, at: row.revokedAt.toISOString() }
          : null,
      own: row.memberId === own,
    })),
  };
}
