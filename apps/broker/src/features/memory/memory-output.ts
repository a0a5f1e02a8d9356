import { findMemory, type MemoryRow, type Queryable } from "@merkle/db";
import { type Memory, MerkleError } from "@merkle/wire";

export function toMemoryId(number: number): string {
  return `mem_${number}`;
}

/**
 * Converts a memory id to its number.
 *
 * @param id - already validated by `MemoryId`
 */
export function toMemoryNumber(id: string): number {
  return Number(id.slice("mem_".length));
}

/** Converts tags to lower case for comparison: "CI" and "ci" are the same tag. */
export function foldTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.toLowerCase()))];
}

export function toMemory(row: MemoryRow): Memory {
  const { forgottenBy: by, forgetReason: reason, forgottenAt } = row;
  return {
    id: toMemoryId(row.number),
    content: row.content,
    tags: [...row.tags],
    rememberedBy: row.rememberedBy,
    session_id: row.sessionId,
    session: row.slug,
    rememberedAt: row.rememberedAt.toISOString(),
    forgotten:
      by === null || reason === null || forgottenAt === null
        ? null
        : { by, reason, at: forgottenAt.toISOString() },
  };
}

/** @throws not_found if the mesh has no such memory */
export async function getMemory(db: Queryable, meshId: string, id: string): Promise<Memory> {
  const row = await findMemory(db, meshId, toMemoryNumber(id));
  if (row) return toMemory(row);
  throw new MerkleError("not_found", `There is no memory ${id} in this mesh.`, { next: "list_memory" });
}
