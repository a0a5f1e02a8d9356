import type { ProposalBesideSource } from "@merkle/db";
import type { Proposal } from "@merkle/wire";
import type { JobServices } from "../jobs/services.js";
import type { Sources } from "../sources/sources.js";
import { type CurrentText, fileOf } from "./source-text.js";

/**
 * A proposal as callers see it, without its text.
 *
 * @param current - the text that it is shown beside; the one that stands now unless given
 */
export async function toProposal(
  { sessions, sources }: Pick<JobServices, "sessions" | "sources">,
  row: ProposalBesideSource,
  current?: CurrentText,
): Promise<Proposal> {
  const session = row.sessionId === null ? null : await sessions.find(row.sessionId);
  return {
    proposal_id: row.number,
    kind: row.kind,
    session_id: row.sessionId,
    session: session?.slug ?? null,
    source_path: row.path === null ? null : `${row.root}/${row.path}`,
    topic_id: row.topic,
    revision: row.revision,
    base_version: row.baseVersion,
    base_sha: row.baseHash,
    stale: row.path === null ? isStale(row) : await isFileStale(sources, row, current),
    added: row.added,
    removed: row.removed,
    note: row.note,
    proposed_by: row.proposedBy,
    job_id: row.job,
    proposed_at: row.proposedAt.toISOString(),
    status: row.status,
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    remark: row.remark,
    accepted_version: row.acceptedVersion,
    accepted_commit: row.acceptedCommit,
  };
}

/** Whether it waits for a person, and what it was made from is not the newest any more. */
export function isStale({ status, path, baseVersion, currentVersion }: ProposalBesideSource): boolean {
  return status === "open" && path === null && baseVersion !== currentVersion;
}

/** A file that is gone, or cannot be read, is not what the proposal was made from either. */
async function isFileStale(
  sources: Sources,
  row: ProposalBesideSource,
  current: CurrentText | undefined,
): Promise<boolean> {
  const file = fileOf(row);
  if (!file || row.status !== "open") return false;
  const sha = current ? current.sha : (await sources.open(file).catch(() => null))?.hash;
  return sha !== row.baseHash;
}
