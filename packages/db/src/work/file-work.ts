import { sql } from "drizzle-orm";
import { jobs, proposals, topics } from "../core/schema.js";
import type { Queryable } from "../start/open-database.js";

/** What is open or goes on for a file. */
export interface FileWork {
  readonly root: string;
  readonly path: string;
  readonly topics: number;
  readonly proposals: number;
  readonly jobs: number;
}

/** The files of a mesh that something is open or goes on for. */
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
