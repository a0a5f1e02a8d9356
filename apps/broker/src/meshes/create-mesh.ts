import { randomUUID } from "node:crypto";
import { findMember, insertMesh, insertNewMember } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";

/**
 * Makes a mesh. A member who makes one is its first admin, by the same key; nobody else is in it (MESH-10).
 *
 * @throws conflict when the name is taken, in whatever case
 */
export async function createMesh(
  ctx: Context,
  { name }: ParsedInputOf<"create_mesh">,
): Promise<OutputOf<"create_mesh">> {
  const { services, principal } = ctx;
  return ctx.write(async ({ tx }) => {
    const meshId = randomUUID();
    if (!(await insertMesh(tx, { meshId, name, createdAt: new Date() }))) throw taken(name);
    if (principal?.kind === "member") {
      const maker = await findMember(tx, services.database.meshId, { memberId: principal.memberId });
      if (!maker) throw new TypeError("A member is gone.");
      const { publicKey } = maker;
      const memberId = randomUUID();
      await insertNewMember(tx, {
        meshId,
        memberId,
        name: maker.name,
        role: "admin",
        publicKey,
        invite: null,
      });
    }
    return { mesh_id: meshId, name };
  });
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
