import { type SearchResultRow, searchMesh } from "@merkle/db";
import { type OutputOf, type ParsedInputOf, type SearchHit, searchKinds } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { extractBestPart } from "../../text/extract-best-part.js";
import { toTextMatch } from "../../text/parse-terms.js";
import type { SearchServices } from "./services.js";

type SearchOutput = OutputOf<"search">;

const partCharsMax = 300;

/** Searches everything that the mesh stores. Anything posted before the call can be found (SEARCH-4). */
export async function search(
  ctx: Context<SearchServices>,
  input: ParsedInputOf<"search">,
): Promise<SearchOutput> {
  const { database, indexer } = ctx.services;
  const { query, session, limit, kinds = searchKinds } = input;
  const sessionId =
    session === undefined ? undefined : (await requireSession(ctx.services, session)).sessionId;
  if (kinds.length === 0) return { hits: [], total: 0, complete: true };
  const isComplete = await indexer.catchUp();
  const { rows, total } = await database.read(async (db) =>
    searchMesh(db, database.meshId, {
      match: query === "" ? { by: "nothing" } : await toTextMatch(db, query),
      kinds: new Set(kinds),
      sessionId,
      limit,
    }),
  );
  return { hits: rows.map(toHit), total, complete: isComplete };
}

function toHit({ sessionId, slug, memory, at, marked, ...row }: SearchResultRow): SearchHit {
  return {
    kind: row.kind,
    session_id: sessionId,
    session: slug,
    sequence: row.sequence,
    task: row.task,
    topic_id: row.topic,
    source_path: row.sourcePath,
    memory_id: memory === null ? null : `mem_${memory}`,
    version: row.version,
    key: row.key,
    progress_id: row.entry,
    project: row.project,
    title: row.title,
    by: row.by,
    at: at.toISOString(),
    marked: extractBestPart(marked, partCharsMax),
    rank: row.rank,
  };
}
