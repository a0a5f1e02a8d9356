import { listMemories, recallMemories } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../../core/fill-page.js";
import type { Context, SessionServices } from "../../sessions/context.js";
import { extractBestPart } from "../../text/extract-best-part.js";
import { toTextMatch } from "../../text/parse-terms.js";
import { toMemoryChoice } from "./change-memory.js";
import { toMemory, toMemoryNumber } from "./memory-output.js";

/** Maximum length of the part shown. Nearly every memory is shorter, so it is shown in full. */
const partCharsMax = 2_000;

/** Searches the memories, except forgotten ones. The best match comes first (MEM-4). */
export async function recall(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"recall">,
): Promise<OutputOf<"recall">> {
  const { read: reading, meshId } = ctx.services.database;
  const choice = await toMemoryChoice(ctx.services, input);
  const rows = await reading(async (db) =>
    recallMemories(db, meshId, { match: await toTextMatch(db, input.query), ...choice, limit: input.limit }),
  );
  const memories = rows.map((row) => ({
    ...toMemory(row),
    rank: row.rank,
    marked: extractBestPart(row.marked, partCharsMax),
  }));
  return { memories: fillPage(memories) };
}

/** Lists memories, newest first. A page ends at its limit or at `pageBytesMax` (MEM-8). */
export async function listMemory(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"list_memory">,
): Promise<OutputOf<"list_memory">> {
  const { services } = ctx;
  const { read: reading, meshId } = services.database;
  const { before, forgotten, limit } = input;
  const filter = {
    ...(await toMemoryChoice(services, input)),
    forgotten,
    before: before === undefined ? undefined : toMemoryNumber(before),
    limit: limit + 1,
  };
  const rows = await reading((db) => listMemories(db, meshId, filter));
  const memories = fillPage(rows.slice(0, limit).map(toMemory));
  return { memories, next_cursor: rows.length > memories.length ? (memories.at(-1)?.id ?? null) : null };
}
