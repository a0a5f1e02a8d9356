import { countInMeshes, findMember, listMembershipsOfKey, listMeshRows } from "@merkle/db";
import type { MemberRole, OutputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";

/** Lists the meshes that the caller's key is a member of; where everybody is let in, all of them (MESH-7). */
export async function listMeshes(ctx: Context<IdentityServices>): Promise<OutputOf<"list_meshes">> {
  const { orm } = ctx.services.database;
  const roles = await readRoles(ctx);
  const rows = (await listMeshRows(orm)).filter((row) => roles === null || roles.has(row.meshId));
  const ids = rows.map((row) => row.meshId);
  const counts = await countInMeshes(orm, ids);
  return {
    meshes: rows.map(({ meshId, name, createdAt }) => ({
      mesh_id: meshId,
      name,
      created_at: createdAt.toISOString(),
      role: roles?.get(meshId) ?? null,
      sessions: counts.get(meshId)?.sessions ?? 0,
      members: counts.get(meshId)?.members ?? 0,
    })),
  };
}

/** What the caller is in each mesh; null where everybody is let into all of them. */
async function readRoles({
  services,
  principal,
}: Context<IdentityServices>): Promise<Map<string, MemberRole> | null> {
  if (principal?.kind !== "member") return null;
  const { orm, meshId } = services.database;
  const member = await findMember(orm, meshId, { memberId: principal.memberId });
  const memberships = member ? await listMembershipsOfKey(orm, member.publicKey) : [];
  return new Map(memberships.map((row) => [row.meshId, row.role]));
}
