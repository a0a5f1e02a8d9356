import { searchProgressEntries } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../sessions/context.js";
import { toTextMatch } from "../text/to-text-match.js";
import { toDay } from "./day.js";
import { toProgressEntry } from "./progress-output.js";
import type { ProgressServices } from "./services.js";
import { foldedTags } from "./tags.js";

/** Finds a project's entries, newest first, without what they say; where there is no such project, none (PROGRESS-9). */
export async function searchLogs(
  { services }: Context<ProgressServices>,
  input: ParsedInputOf<"search_logs">,
): Promise<OutputOf<"search_logs">> {
  const { orm, meshId } = services.database;
  const { projectId, query, content, tags = [], startDate, endDate, limit } = input;
  const { rows, total } = await searchProgressEntries(orm, meshId, {
    projectId,
    titleKey: query?.toLowerCase(),
    match: content === undefined ? undefined : await toTextMatch(orm, content),
    tagKeys: foldedTags(tags),
    from: toDay(startDate, "from"),
    to: toDay(endDate, "to"),
    limit,
  });
  return { projectId, query: query || null, entries: rows.map(toProgressEntry), total };
}
