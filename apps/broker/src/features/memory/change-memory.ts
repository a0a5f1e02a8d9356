import { hideMemory, insertMemory, type MemoryChoice, replaceTags, showMemory } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { MeshContext, SessionServices } from "../../sessions/context.js";
import { formatCallerName, readAuthor } from "../../sessions/roster/author.js";
import { foldTags, getMemory, toMemoryId, toMemoryNumber } from "./memory-output.js";

/**
 * Stores a memory for the mesh under the next memory number. The memory outlives the session in which it was
 * learned (MEM-1).
 */
export async function remember(
  ctx: MeshContext<SessionServices>,
  input: ParsedInputOf<"remember">,
): Promise<OutputOf<"remember">> {
  const { meshId } = ctx.services.database;
  const { name: rememberedBy, sessionId } = await readAuthor(ctx, input.session);
  const tags = foldTags(input.tags);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    const rememberedAt = new Date();
    const { content } = input;
    const number = await insertMemory(tx, { meshId, content, tags, rememberedBy, sessionId, rememberedAt });
    return { id: toMemoryId(number), tags, at: rememberedAt.toISOString() };
  });
}

/** Replaces the tags of a memory (MEM-11). */
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
 * Hides a memory from everyone and records the reason. The memory is kept, and a human can restore it
 * (MEM-9).
 *
 * @throws conflict if the memory is already forgotten, with the name of the person or team and the reason
 */
export async function forget(
  ctx: MeshContext<SessionServices>,
  { id, reason }: ParsedInputOf<"forget">,
): Promise<OutputOf<"forget">> {
  const { meshId } = ctx.services.database;
  const by = formatCallerName(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("memory", null));
    const isHidden = await hideMemory(tx, meshId, toMemoryNumber(id), { by, reason, at: new Date() });
    const memory = await getMemory(tx, meshId, id);
    if (isHidden || memory.forgotten === null) return memory;
    throw new MerkleError(
      "conflict",
      `${id} was already forgotten by ${memory.forgotten.by}: ${memory.forgotten.reason}`,
      { forgotten: memory.forgotten },
    );
  });
}

/**
 * Restores a forgotten memory. A memory that is not forgotten stays unchanged (MEM-10).
 *
 * @throws forbidden to agents, which could otherwise restore a memory without knowing why another agent
 * withdrew it
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

type MemoryChoiceInput = Pick<ParsedInputOf<"recall">, "tags" | "by" | "since" | "session">;

/** Converts the filters of a list or search to a database query's conditions (MEM-14). */
export async function toMemoryChoice(
  services: SessionServices,
  { tags = [], by, since, session }: MemoryChoiceInput,
): Promise<MemoryChoice> {
  return {
    tags: foldTags(tags),
    by,
    since: since === undefined ? undefined : new Date(since),
    sessionId: session === undefined ? undefined : (await requireSession(services, session)).sessionId,
  };
}
