import {
  and,
  arrayContains,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { progressEntries, progressProjects, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import { selectMarked, selectMatch, type TextMatch } from "../../text/text-query.js";

export interface NewProgressEntry {
  readonly meshId: string;
  readonly id: string;
  readonly projectId: string;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly titleKey: string;
  readonly tagKeys: readonly string[];
  readonly agentId: string | null;
  readonly loggedBy: string;
  readonly sessionId: string | null;
  readonly createdAt: Date;
}

/**
 * Appends an entry to its project, and creates the project if necessary. Others who log in this project wait
 * until the transaction ends.
 */
export async function insertProgressEntry(tx: Transaction, entry: NewProgressEntry): Promise<void> {
  const { meshId, projectId, createdAt } = entry;
  const [project] = await tx
    .insert(progressProjects)
    .values({ meshId, projectId, name: projectId, createdAt, lastNumber: 1 })
    .onConflictDoUpdate({
      target: [progressProjects.meshId, progressProjects.projectId],
      set: { lastNumber: sql`${progressProjects.lastNumber} + 1` },
    })
    .returning({ number: progressProjects.lastNumber });
  if (!project) throw new TypeError("The project returned no number.");
  const { tags, tagKeys } = entry;
  await tx
    .insert(progressEntries)
    .values({ ...entry, tags: [...tags], tagKeys: [...tagKeys], number: project.number });
}

export interface ProgressEntryRow {
  readonly id: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly agentId: string | null;
  readonly loggedBy: string;
  readonly createdAt: Date;
}

export interface WholeProgressEntryRow extends ProgressEntryRow {
  readonly projectId: string;
  readonly content: string;
  readonly summary: string | null;
}

const { id, title, tags, agentId, loggedBy, createdAt, projectId, content, summary } =
  getTableColumns(progressEntries);
const columns = { id, title, tags, agentId, loggedBy, createdAt };

/** Returns an entry of a project, or null. */
export async function findProgressEntry(
  db: Queryable,
  meshId: string,
  which: { readonly projectId: string; readonly id: string },
): Promise<WholeProgressEntryRow | null> {
  const [row] = await db
    .select({ ...columns, projectId, content, summary })
    .from(progressEntries)
    .where(and(eq(progressEntries.meshId, meshId), eq(projectId, which.projectId), eq(id, which.id)));
  return row ?? null;
}

/** Stores an entry's summary, unless there is one already. Every reader therefore sees the same summary. */
export async function keepSummary(
  db: Queryable,
  meshId: string,
  entryId: string,
  text: string,
): Promise<void> {
  await db
    .update(progressEntries)
    .set({ summary: text })
    .where(and(eq(progressEntries.meshId, meshId), eq(id, entryId), isNull(summary)));
}

/** Selects progress entries within one project. */
export interface ProgressFilter {
  readonly projectId: string;
  /** Only entries whose title contains this text, which must be in lower case. */
  readonly titleKey: string | undefined;
  /** Only entries with these words in the title or content. */
  readonly match: TextMatch | undefined;
  /** Only entries that have all of these tags, which must be in lower case. */
  readonly tagKeys: readonly string[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Searches a project's entries, newest first. `total` also counts the matches beyond the limit. */
export async function searchProgressEntries(
  db: Queryable,
  meshId: string,
  { limit, ...filter }: ProgressFilter & { readonly limit: number },
): Promise<{ readonly rows: ProgressEntryRow[]; readonly total: number }> {
  const found = await db
    .select({ ...columns, total: sql<number>`${count()} OVER ()`.mapWith(Number) })
    .from(progressEntries)
    .where(and(eq(progressEntries.meshId, meshId), isMeant(filter)))
    .orderBy(desc(createdAt), desc(progressEntries.number))
    .limit(limit);
  return { rows: found.map(({ total: _total, ...row }) => row), total: found[0]?.total ?? 0 };
}

function isMeant({ titleKey, match, tagKeys, from, to, ...filter }: ProgressFilter): SQL | undefined {
  return and(
    eq(projectId, filter.projectId),
    titleKey === undefined ? undefined : sql`strpos(${progressEntries.titleKey}, ${titleKey}) > 0`,
    match &&
      selectMatch(match, {
        words: sql`${progressEntries.words}`,
        text: sql`(${title} || ' ' || ${content})`,
      }),
    tagKeys.length === 0 ? undefined : arrayContains(progressEntries.tagKeys, [...tagKeys]),
    from && gte(createdAt, from),
    to && lte(createdAt, to),
  );
}

/** Selects progress entries in a whole mesh. */
export interface ProgressListFilter {
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly sessionId: string | undefined;
  /** Only entries whose title contains `key`, which must be in lower case, or whose words match. */
  readonly text: { readonly key: string; readonly match: TextMatch } | undefined;
  /** Only entries that have all of these tags, which must be in lower case. */
  readonly tagKeys: readonly string[];
  /** Only entries logged by this team, peer or person, or by an agent that used this name for itself. */
  readonly by: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** Id of the last entry on the previous page. */
  readonly before: string | undefined;
  readonly limit: number;
}

export interface ListedProgressEntryRow extends ProgressEntryRow {
  readonly projectId: string;
  readonly slug: string | null;
  readonly summary: string | null;
  readonly opening: string;
  readonly marked: string | null;
}

/**
 * Lists a mesh's entries, newest first. Reads only the beginning of each entry's content, which is all that a
 * list shows.
 */
export async function listProgressEntries(
  db: Queryable,
  meshId: string,
  filter: ProgressListFilter,
): Promise<ListedProgressEntryRow[]> {
  const match = filter.text?.match;
  const place = [createdAt, progressEntries.number, id] as const;
  return db
    .select({
      ...columns,
      projectId,
      summary,
      slug: sessions.slug,
      opening: sql<string>`left(${content}, ${openingCharsMax})`,
      marked: match ? selectMarked(match, sql`${content}`) : sql<null>`NULL`,
    })
    .from(progressEntries)
    .leftJoin(sessions, eq(sessions.sessionId, progressEntries.sessionId))
    .where(and(eq(progressEntries.meshId, meshId), isListed(meshId, filter)))
    .orderBy(...place.map((column) => desc(column)))
    .limit(filter.limit);
}

/** Maximum number of characters of an entry's content that a list shows. */
const openingCharsMax = 600;

const entryText = sql`concat_ws(E'\n', ${content}, nullif(array_to_string(${tags}, ', '), ''))`;

function isListed(
  meshId: string,
  { text, tagKeys, from, to, ...filter }: ProgressListFilter,
): SQL | undefined {
  const { createdAt: at, number } = progressEntries;
  return and(
    filter.id === undefined ? undefined : eq(id, filter.id),
    filter.projectId === undefined ? undefined : eq(projectId, filter.projectId),
    filter.sessionId === undefined ? undefined : eq(progressEntries.sessionId, filter.sessionId),
    text && or(sql`strpos(${progressEntries.titleKey}, ${text.key}) > 0`, isFound(meshId, text.match)),
    tagKeys.length === 0 ? undefined : arrayContains(progressEntries.tagKeys, [...tagKeys]),
    filter.by === undefined ? undefined : or(eq(loggedBy, filter.by), eq(agentId, filter.by)),
    from && gte(at, from),
    to && lte(at, to),
    filter.before === undefined
      ? undefined
      : sql`(${at}, ${number}, ${id}) < (SELECT b.created_at, b.number, b.id FROM ${progressEntries} b
          WHERE b.mesh_id = ${meshId} AND b.id = ${filter.before})`,
  );
}

/**
 * Returns the condition that an entry's words match, as a separate subquery. If this condition were combined
 * with the title condition, the planner would read the words of every entry.
 */
function isFound(meshId: string, match: TextMatch): SQL {
  const words = { words: sql`${progressEntries.words}`, text: sql`(${title} || ' ' || ${entryText})` };
  if (match.by === "letters") return selectMatch(match, words);
  return sql`${id} IN (SELECT f.id FROM ${progressEntries} f
    WHERE f.mesh_id = ${meshId} AND ${selectMatch(match, { ...words, words: sql`f.words` })})`;
}

export interface ProgressProjectRow {
  readonly projectId: string;
  readonly entries: number;
  readonly lastAt: Date;
}

/**
 * Lists a mesh's projects, most recently updated first. `total` also counts the projects beyond the limit.
 */
export async function listProgressProjects(
  db: Queryable,
  meshId: string,
  limit: number,
): Promise<{ readonly rows: ProgressProjectRow[]; readonly total: number }> {
  const found = await db.execute<{ projectId: string; entries: string; last_ms: string; total: number }>(sql`
    SELECT p.project_id AS "projectId", p.last_number AS entries,
           (extract(epoch FROM newest.created_at) * 1000)::bigint AS last_ms, (count(*) OVER ())::int AS total
    FROM ${progressProjects} p
    CROSS JOIN LATERAL (SELECT e.created_at FROM ${progressEntries} e
      WHERE e.mesh_id = p.mesh_id AND e.project_id = p.project_id
      ORDER BY e.created_at DESC, e.number DESC LIMIT 1) newest
    WHERE p.mesh_id = ${meshId}
    ORDER BY newest.created_at DESC, p.project_id LIMIT ${limit}`);
  const rows = found.map(({ projectId: project, entries, last_ms }) => ({
    projectId: project,
    entries: Number(entries),
    lastAt: new Date(Number(last_ms)),
  }));
  return { rows, total: found[0]?.total ?? 0 };
}

/** Counts the progress entries logged in a session. */
export async function countProgressEntries(
  db: Queryable,
  meshId: string,
  sessionId: string,
): Promise<number> {
  const [row] = await db
    .select({ entries: count() })
    .from(progressEntries)
    .where(and(eq(progressEntries.meshId, meshId), eq(progressEntries.sessionId, sessionId)));
  return row?.entries ?? 0;
}
