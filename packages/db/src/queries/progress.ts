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
  type SQL,
  sql,
} from "drizzle-orm";
import type { Queryable, Transaction } from "../open-database.js";
import { progressEntries, progressProjects } from "../schema.js";
import { fits, type TextMatch } from "./text-query.js";

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
 * Stores an entry behind those that its project has, and makes the project where there is none. Until the transaction
 * ends, others who log in that project wait here.
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
  if (!project) throw new TypeError("A project gave no number.");
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

/** An entry of that project, or null. */
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

/** Keeps an entry's summary. The first one stays: whoever read it reads the same again. */
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

/** Which entries of a project are meant. */
export interface ProgressFilter {
  readonly projectId: string;
  /** A part of the title, without case. */
  readonly titleKey: string | undefined;
  /** What title or content say. */
  readonly match: TextMatch | undefined;
  /** Those that have all of these, without case. */
  readonly tagKeys: readonly string[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Finds entries, newest first, and says how many there are beyond the limit. */
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
      fits(match, { words: sql`${progressEntries.words}`, text: sql`(${title} || ' ' || ${content})` }),
    tagKeys.length === 0 ? undefined : arrayContains(progressEntries.tagKeys, [...tagKeys]),
    from && gte(createdAt, from),
    to && lte(createdAt, to),
  );
}
