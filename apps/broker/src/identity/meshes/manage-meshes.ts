import { randomUUID } from "node:crypto";
import {
  countInMeshes,
  findMember,
  insertMesh,
  insertNewMember,
  listMembershipsOfKey,
  listMeshRows,
  type Transaction,
} from "@merkle/db";
import { type MemberRole, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityContext, IdentityServices } from "../context.js";
import type { MemberPrincipal } from "../principal.js";

/**
 * Creates a mesh. If a member creates it, that member becomes its first admin with the same key, and at first
 * its only member (MESH-6).
 *
 * @throws conflict if the name is taken, ignoring case; forbidden for a guest if there are many meshes
 * (MESH-8)
 */
export async function createMesh(
  ctx: IdentityContext<IdentityServices>,
  { name }: ParsedInputOf<"create_mesh">,
): Promise<OutputOf<"create_mesh">> {
  const { principal } = ctx;
  return ctx.write(async ({ tx }) => {
    const meshId = randomUUID();
    if (!(await insertMesh(tx, { meshId, name, createdAt: new Date() }))) throw nameTaken(name);
    if (!isKnown(ctx) && (await listMeshRows(tx)).length > limits.openMeshesMax) throw tooManyMeshes();
    await ctx.services.seedMesh(tx, meshId);
    const member_id = principal?.kind === "member" ? await admitCreator(tx, meshId, principal) : null;
    return { mesh_id: meshId, name, member_id };
  });
}

function isKnown({ principal, person }: IdentityContext<IdentityServices>): boolean {
  return principal?.kind === "member" || person?.verified === true;
}

function tooManyMeshes(): MerkleError {
  return new MerkleError(
    "forbidden",
    `This broker has ${limits.openMeshesMax} meshes. Meshes are permanent, so from here on only a verified human can create one. ` +
      "Open the link that merkle up printed, or run merkle mesh create on the broker's machine.",
    { needs: "verification", max: limits.openMeshesMax },
  );
}

async function admitCreator(tx: Transaction, meshId: string, principal: MemberPrincipal): Promise<string> {
  const creator = await findMember(tx, principal.meshId, { memberId: principal.memberId });
  if (!creator) throw new TypeError("The member who creates the mesh was not found.");
  const { name, publicKey } = creator;
  const memberId = randomUUID();
  const descent = { invite: null, vouchedBy: memberId, program: null };
  await insertNewMember(tx, { meshId, memberId, name, role: "admin", publicKey, ...descent });
  return memberId;
}

function nameTaken(name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `This broker already has a mesh ${JSON.stringify(name)}. Choose another name.`,
    {
      name,
    },
  );
}

/** Lists the meshes of which the caller's key is a member. In open mode, lists all meshes (MESH-7). */
export async function listMeshes(ctx: IdentityContext<IdentityServices>): Promise<OutputOf<"list_meshes">> {
  const { orm } = ctx.services.database;
  const roles = await readRoles(ctx);
  const rows = (await listMeshRows(orm)).filter((row) => roles === null || roles.has(row.meshId));
  const ids = rows.map((row) => row.meshId);
  const onlineMs = ctx.services.settings.current.disconnected_after_s * 1000;
  const counts = await countInMeshes(orm, ids, new Date(Date.now() - onlineMs));
  return {
    meshes: rows.map(({ meshId, name, createdAt }) => ({
      mesh_id: meshId,
      name,
      created_at: createdAt.toISOString(),
      role: roles?.get(meshId) ?? null,
      sessions: counts.get(meshId)?.sessions ?? 0,
      members: counts.get(meshId)?.members ?? 0,
      quotas: ctx.services.quotas.list(meshId),
      peers_online: counts.get(meshId)?.peersOnline ?? 0,
    })),
  };
}

/** Returns the caller's role in each mesh. Null in open mode, where everyone may use all meshes. */
async function readRoles({
  services,
  principal,
}: IdentityContext<IdentityServices>): Promise<Map<string, MemberRole> | null> {
  if (principal?.kind !== "member") return null;
  const { orm, meshId } = services.database;
  const member = await findMember(orm, meshId, { memberId: principal.memberId });
  const memberships = member ? await listMembershipsOfKey(orm, member.publicKey) : [];
  return new Map(memberships.map((row) => [row.meshId, row.role]));
}
