import type { JobRow } from "@merkle/db";
import type { Job } from "@merkle/wire";
import { describeFailure } from "./describe-failure.js";
import type { JobServices } from "./services.js";

/** A job as callers see it. */
export async function toJob({ sessions }: Pick<JobServices, "sessions">, row: JobRow): Promise<Job> {
  const session = row.sessionId === null ? null : await sessions.find(row.sessionId);
  return {
    job_id: row.number,
    kind: row.kind,
    status: row.status,
    session_id: row.sessionId,
    session: session?.slug ?? null,
    source_path: row.path === null ? null : `${row.root}/${row.path}`,
    topic_id: row.topicId,
    persona_name: row.personaName,
    started_by: row.startedBy,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    exit_code: row.exitCode,
    runner: row.runnerName,
    error_tail: row.errorTail,
    message: describeFailure(row),
    result:
      row.resultKind === null || row.resultId === null ? null : { kind: row.resultKind, id: row.resultId },
  };
}
