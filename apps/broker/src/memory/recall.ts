import { listMemories, recallMemories } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import type { Context, SessionServices } from "../sessions/context.js";
import { bestPart } from "../text/best-part.js";
import { toTextMatch } from "../text/parse-terms.js";
import { toMemoryChoice } from "./change-memory.js";
import { toMemory, toMemoryNumber } from "./memory-output.js";

/** Nearly every memory is shorter, and is shown whole. */
const partCharsMax = 2_000;

/** Searches what was remembered and not forgotten, the best match first (MEM-4). */
export async function recall(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"recall">,
): Promise<OutputOf<"recall">> {
  const { orm, meshId } = ctx.services.database;
  const rows = await recallMemories(orm, meshId, {
    match: await toTextMatch(orm, input.query),
    ...(await toMemoryChoice(ctx.services, input)),
    limit: input.limit,
  });
  const memories = rows.map((row) => ({
    ...toMemory(row),
    rank: row.rank,
    marked: bestPart(row.marked, partCharsMax),
  }));
  return { memories: fillPage(memories) };
}

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
