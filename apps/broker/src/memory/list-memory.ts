import { listMemories } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import type { Context, SessionServices } from "../sessions/context.js";
import { toMemoryChoice } from "./memory-choice.js";
import { toMemory, toMemoryNumber } from "./memory-output.js";

/** Lists memories, newest first; a page ends at its limit or at `pageBytesMax` (MEM-8). */
export async function listMemory(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"list_memory">,
): Promise<OutputOf<"list_memory">> {
  const { services } = ctx;
  const { orm, meshId } = services.database;
  const { before, forgotten, limit } = input;
  const rows = await listMemories(orm, meshId, {
    ...(await toMemoryChoice(services, input)),
    forgotten,
    before: before === undefined ? undefined : toMemoryNumber(before),
    limit: limit + 1,
  });
  const memories = fillPage(rows.slice(0, limit).map(toMemory));
  return { memories, next_cursor: rows.length > memories.length ? (memories.at(-1)?.id ?? null) : null };
}
