import { showMemory } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { getMemory, toMemoryNumber } from "./memory-output.js";

/**
 * Brings a forgotten memory back; one that is there stays as it is (MEM-10).
 *
 * @throws forbidden to agents: what one of them took back, another could otherwise bring back without being told why
 */
export async function restoreMemory(
  ctx: MeshContext<SessionServices>,
  { id }: ParsedInputOf<"restore_memory">,
): Promise<OutputOf<"restore_memory">> {
  if (ctx.team?.kind === "agent") {
    throw new MerkleError(
      "forbidden",
      `Only a human may restore a memory: ask one to restore ${id}, or remember what holds now.`,
    );
  }
  const { meshId } = ctx.services.database;
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    await showMemory(tx, meshId, toMemoryNumber(id));
    return getMemory(tx, meshId, id);
  });
}
