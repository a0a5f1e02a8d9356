import { and, eq, sql } from "drizzle-orm";
import { jobs, proposals, sourceTexts, topics } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";

/** Identifies a file's text by its Git hash. */
export interface SourceTextKey {
  readonly meshId: string;
  readonly root: string;
  readonly path: string;
  readonly hash: string;
}

/** Stores the text of a file that a topic or proposal is based on. */
export async function keepSourceText(
  db: Queryable,
  { meshId, root, path, hash, content }: SourceTextKey & { readonly content: string },
): Promise<void> {
  await db
    .insert(sourceTexts)
    .values({ meshId, root, path, hash, content, seenAt: sql`now()` })
    .onConflictDoUpdate({
      target: [sourceTexts.meshId, sourceTexts.root, sourceTexts.path, sourceTexts.hash],
      set: { seenAt: sql`now()` },
    });
}

export async function findSourceText(
  db: Queryable,
  { meshId, root, path, hash }: SourceTextKey,
): Promise<string | null> {
  const [row] = await db
    .select({ content: sourceTexts.content })
    .from(sourceTexts)
    .where(
      and(
        eq(sourceTexts.meshId, meshId),
        eq(sourceTexts.root, root),
        eq(sourceTexts.path, path),
        eq(sourceTexts.hash, hash),
      ),
    );
  return row?.content ?? null;
}

/**
 * Deletes file texts that were last stored more than `afterDays` days ago, unless an open topic or a proposal
 * uses them.
 */
export async function deleteUnusedSourceTexts(db: Queryable, afterDays: number): Promise<number> {
  const { count } = await db.execute(sql`
    DELETE FROM source_texts s
    WHERE s.seen_at < now() - ${afterDays} * interval '1 day'
      AND NOT EXISTS (
        SELECT FROM topics t
        WHERE t.mesh_id = s.mesh_id AND t.source = 'file ' || s.root || '/' || s.path
          AND t.status = 'open' AND s.hash IN (t.made_at_hash, t.place_at_hash, t.found_at_hash))
      AND NOT EXISTS (
        SELECT FROM proposals p
        WHERE p.mesh_id = s.mesh_id AND p.root = s.root AND p.path = s.path
          AND s.hash IN (p.base_hash, encode(p.accepted_content_hash, 'hex')))`);
  return count;
}

/** The numbers of open topics, open proposals, and queued or running jobs for a file. */
export interface FileWork {
  readonly root: string;
  readonly path: string;
  readonly topics: number;
  readonly proposals: number;
  readonly jobs: number;
}

/** Lists the mesh's files that have open topics, open proposals or unfinished jobs. */
export async function listFileWork(db: Queryable, meshId: string): Promise<FileWork[]> {
  const ofFile = sql`mesh_id = ${meshId} AND path IS NOT NULL`;
  const rows = await db.execute<Record<keyof FileWork, string>>(sql`
    SELECT root, path, count(topic) AS topics, count(proposal) AS proposals, count(job) AS jobs
    FROM (
      SELECT root, path, number AS topic, NULL::int AS proposal, NULL::int AS job
        FROM ${topics} WHERE ${ofFile} AND status = 'open'
      UNION ALL SELECT root, path, NULL, number, NULL FROM ${proposals} WHERE ${ofFile} AND status = 'open'
      UNION ALL SELECT root, path, NULL, NULL, number FROM ${jobs} WHERE ${ofFile} AND status IN ('queued', 'running')
    ) AS work
    GROUP BY root, path`);
  return [...rows].map(({ root, path, ...counts }) => ({
    root,
    path,
    topics: Number(counts.topics),
    proposals: Number(counts.proposals),
    jobs: Number(counts.jobs),
  }));
}
