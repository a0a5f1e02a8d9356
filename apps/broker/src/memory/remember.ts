import { insertMemory } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { authorOf } from "../sessions/roster/author.js";
import { foldTags, toMemoryId } from "./memory-output.js";

/** Keeps something for the mesh, under its next number. It outlives the session it was learned in (MEM-1). */
export async function remember(
  ctx: MeshContext<SessionServices>,
  input: ParsedInputOf<"remember">,
): Promise<OutputOf<"remember">> {
  const { meshId } = ctx.services.database;
  const { name: rememberedBy, sessionId } = await authorOf(ctx, input.session);
  const tags = foldTags(input.tags);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    const rememberedAt = new Date();
    const { content } = input;
    const number = await insertMemory(tx, { meshId, content, tags, rememberedBy, sessionId, rememberedAt });
    return { id: toMemoryId(number), tags, at: rememberedAt.toISOString() };
  });
}
