import { hideMemory } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { nameOf } from "../sessions/roster/author.js";
import { getMemory, toMemoryNumber } from "./memory-output.js";

/**
 * Hides a memory from everybody, with the reason; it is kept, and a human can bring it back (MEM-9).
 *
 * @throws conflict when it is forgotten already, with who did it and why
 */
export async function forget(
  ctx: MeshContext<SessionServices>,
  { id, reason }: ParsedInputOf<"forget">,
): Promise<OutputOf<"forget">> {
  const { meshId } = ctx.services.database;
  const by = nameOf(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    const hidden = await hideMemory(tx, meshId, toMemoryNumber(id), { by, reason, at: new Date() });
    const memory = await getMemory(tx, meshId, id);
    if (hidden || memory.forgotten === null) return memory;
    throw new MerkleError(
      "conflict",
      `${id} is forgotten already, by ${memory.forgotten.by}: ${memory.forgotten.reason}`,
      { forgotten: memory.forgotten },
    );
  });
}
