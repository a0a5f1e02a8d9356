import { type ListedProgressEntryRow, listProgressEntries } from "@merkle/db";
import type { ListedProgressEntry, OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import { requireSession } from "../identity/require-session.js";
import type { Context } from "../sessions/context.js";
import { bestPart } from "../text/best-part.js";
import { toTextMatch } from "../text/to-text-match.js";
import { toDay } from "./day.js";
import { toProgressEntry } from "./progress-output.js";
import type { ProgressServices } from "./services.js";
import { foldedTags } from "./tags.js";

const partCharsMax = 300;

/** Lists entries of all projects or of some, newest first, with as much of each as tells what it is (PROGRESS-13). */
export async function listProgress(
  { services }: Context<ProgressServices>,
  input: ParsedInputOf<"list_progress">,
): Promise<OutputOf<"list_progress">> {
  const { orm, meshId } = services.database;
  const { id, projectId, session, text, tags = [], by, startDate, endDate, before, limit } = input;
  const rows = await listProgressEntries(orm, meshId, {
    id,
    projectId,
    sessionId: session === undefined ? undefined : (await requireSession(services, session)).sessionId,
    text: text === undefined ? undefined : { key: text.toLowerCase(), match: await toTextMatch(orm, text) },
    tagKeys: foldedTags(tags),
    by,
    from: toDay(startDate, "from"),
    to: toDay(endDate, "to"),
    before,
    limit: limit + 1,
  });
  const entries = fillPage(rows.slice(0, limit).map(toListed));
  return { entries, next_cursor: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
}

function toListed(row: ListedProgressEntryRow): ListedProgressEntry {
  const { projectId, slug, summary, opening, marked } = row;
  return {
    ...toProgressEntry(row),
    projectId,
    session: slug,
    summary,
    opening,
    marked: marked === null ? null : bestPart(marked, partCharsMax),
  };
}
