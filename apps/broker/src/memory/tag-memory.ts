import { replaceTags } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { foldTags, getMemory, toMemoryNumber } from "./memory-output.js";

/** Gives a memory these tags in the place of those it had (MEM-11). */
export async function tagMemory(
  ctx: MeshContext<SessionServices>,
  { id, tags }: ParsedInputOf<"tag_memory">,
): Promise<OutputOf<"tag_memory">> {
  const { meshId } = ctx.services.database;
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    await replaceTags(tx, meshId, toMemoryNumber(id), foldTags(tags));
    return getMemory(tx, meshId, id);
  });
}
