import { recallMemories } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import type { Context, SessionServices } from "../sessions/context.js";
import { bestPart } from "../text/best-part.js";
import { toTextMatch } from "../text/to-text-match.js";
import { toMemoryChoice } from "./memory-choice.js";
import { toMemory } from "./memory-output.js";

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
