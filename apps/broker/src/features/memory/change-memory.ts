import { hideMemory, insertMemory, type MemoryChoice, replaceTags, showMemory } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { MeshContext, SessionServices } from "../../sessions/context.js";
import { authorOf, nameOf } from "../../sessions/roster/author.js";
import { foldTags, getMemory, toMemoryId, toMemoryNumber } from "./memory-output.js";

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
      `${id} was already forgotten by ${memory.forgotten.by}: ${memory.forgotten.reason}`,
      { forgotten: memory.forgotten },
    );
  });
}

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
      `Only a human can restore a memory. Ask one to restore ${id}, or store a new memory with what is true now.`,
    );
  }
  const { meshId } = ctx.services.database;
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    await showMemory(tx, meshId, toMemoryNumber(id));
    return getMemory(tx, meshId, id);
  });
}

type Chosen = Pick<ParsedInputOf<"recall">, "tags" | "by" | "since" | "session">;

/** Which memories a list or a search is about (MEM-14). */
export async function toMemoryChoice(
  services: SessionServices,
  { tags = [], by, since, session }: Chosen,
): Promise<MemoryChoice> {
  return {
    tags: foldTags(tags),
    by,
    since: since === undefined ? undefined : new Date(since),
    sessionId: session === undefined ? undefined : (await requireSession(services, session)).sessionId,
  };
}
