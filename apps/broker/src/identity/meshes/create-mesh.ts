import { randomUUID } from "node:crypto";
import { findMember, insertMesh, insertNewMember, type Transaction } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import type { MemberPrincipal } from "../principal.js";

/**
 * Makes a mesh. A member who makes one is its first admin, by the same key; nobody else is in it (MESH-6).
 *
 * @throws conflict when the name is taken, in whatever case
 */
export async function createMesh(
  ctx: Context<IdentityServices>,
  { name }: ParsedInputOf<"create_mesh">,
): Promise<OutputOf<"create_mesh">> {
  const { principal } = ctx;
  return ctx.write(async ({ tx }) => {
    const meshId = randomUUID();
    if (!(await insertMesh(tx, { meshId, name, createdAt: new Date() }))) throw taken(name);
    await ctx.services.furnishMesh(tx, meshId);
    const member_id = principal?.kind === "member" ? await admitMaker(tx, meshId, principal) : null;
    return { mesh_id: meshId, name, member_id };
  });
}

async function admitMaker(tx: Transaction, meshId: string, principal: MemberPrincipal): Promise<string> {
  const maker = await findMember(tx, principal.meshId, { memberId: principal.memberId });
  if (!maker) throw new TypeError("A member is gone.");
  const { name, publicKey } = maker;
  const memberId = randomUUID();
  await insertNewMember(tx, { meshId, memberId, name, role: "admin", publicKey, invite: null });
  return memberId;
}

function taken(name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `There is a mesh ${JSON.stringify(name)} on this broker. Choose another name.`,
    {
      name,
    },
  );
}
