import {
  findProgressEntry,
  type ListedProgressEntryRow,
  listProgressEntries,
  listProgressProjects as listRows,
  type ProgressEntryRow,
  searchProgressEntries,
} from "@merkle/db";
import {
  type ListedProgressEntry,
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type ProgressEntry,
  parseInstant,
} from "@merkle/wire";
import { fillPage } from "../../core/fill-page.js";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { extractBestPart } from "../../text/extract-best-part.js";
import { toTextMatch } from "../../text/parse-terms.js";
import { toTagKeys } from "./log-progress.js";
import type { ProgressServices } from "./services.js";
import { cutSummary } from "./summariser.js";

const partCharsMax = 300;

/**
 * Lists entries of all projects or of selected projects, newest first, each with enough text to recognise it
 * (PROGRESS-13).
 */
export async function listProgress(
  { services }: Context<ProgressServices>,
  input: ParsedInputOf<"list_progress">,
): Promise<OutputOf<"list_progress">> {
  const { read: reading, meshId } = services.database;
  const { id, projectId, session, text, tags = [], by, startDate, endDate, before, limit } = input;
  const sessionId = session === undefined ? undefined : (await requireSession(services, session)).sessionId;
  const rows = await reading(async (db) =>
    listProgressEntries(db, meshId, {
      id,
      projectId,
      sessionId,
      text: text === undefined ? undefined : { key: text.toLowerCase(), match: await toTextMatch(db, text) },
      tagKeys: toTagKeys(tags),
      by,
      from: toDay(startDate, "from"),
      to: toDay(endDate, "to"),
      before,
      limit: limit + 1,
    }),
  );
  const entries = fillPage(rows.slice(0, limit).map(toListedEntry));
  return { entries, next_cursor: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
}

function toListedEntry(row: ListedProgressEntryRow): ListedProgressEntry {
  const { projectId, slug, summary, opening, marked } = row;
  return {
    ...toProgressEntry(row),
    projectId,
    session: slug,
    summary,
    opening,
    marked: marked === null ? null : extractBestPart(marked, partCharsMax),
  };
}

/** Lists the projects of the mesh, the one with the newest entry first (PROGRESS-14). */
export async function listProgressProjects(
  { services }: Context<ProgressServices>,
  { limit }: ParsedInputOf<"list_progress_projects">,
): Promise<OutputOf<"list_progress_projects">> {
  const { orm, meshId } = services.database;
  const { rows, total } = await listRows(orm, meshId, limit);
  const projects = rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: lastAt.toISOString() }));
  return { projects, total };
}

/**
 * Finds a project's entries, newest first, without their content. An unknown project has no entries
 * (PROGRESS-9).
 */
export async function searchLogs(
  { services }: Context<ProgressServices>,
  input: ParsedInputOf<"search_logs">,
): Promise<OutputOf<"search_logs">> {
  const { read: reading, meshId } = services.database;
  const { projectId, query, content, tags = [], startDate, endDate, limit } = input;
  const { rows, total } = await reading(async (db) =>
    searchProgressEntries(db, meshId, {
      projectId,
      titleKey: query?.toLowerCase(),
      match: content === undefined ? undefined : await toTextMatch(db, content),
      tagKeys: toTagKeys(tags),
      from: toDay(startDate, "from"),
      to: toDay(endDate, "to"),
      limit,
    }),
  );
  return { projectId, query: query || null, entries: rows.map(toProgressEntry), total };
}

/**
 * Returns a short form of an entry. The summary is made on the first request and stored. If that fails or
 * takes too long, the beginning of the content is returned, and the next call tries again (PROGRESS-6,
 * PROGRESS-7).
 *
 * @throws not_found if the project has no such entry
 */
export async function getContext(
  { services }: Context<ProgressServices>,
  { projectId, id, includeFull }: ParsedInputOf<"get_context">,
): Promise<OutputOf<"get_context">> {
  const { database, summariser } = services;
  const entry = await findProgressEntry(database.orm, database.meshId, { projectId, id });
  if (!entry) throw new MerkleError("not_found", `Entry not found: ${id} in project ${projectId}`);
  const summary = entry.summary ?? (await summariser.summarise(database, entry)) ?? cutSummary(entry.content);
  return { ...toProgressEntry(entry), projectId, summary, ...(includeFull && { content: entry.content }) };
}

function toProgressEntry(row: ProgressEntryRow): ProgressEntry {
  const { id, title, tags, agentId, loggedBy, createdAt } = row;
  return { id, title, createdAt: createdAt.toISOString(), tags: [...tags], agentId, loggedBy };
}

/** Returns the first or last instant of a date. If the string contains a time, returns exactly that instant. */
function toDay(text: string | undefined, end: "from" | "to"): Date | undefined {
  const instant = text === undefined ? null : parseInstant(text);
  return instant === null ? undefined : new Date(instant[end]);
}
