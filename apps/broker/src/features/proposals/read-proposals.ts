import { findSourceText, listProposalRows, type ProposalWithVersion, readProposalContent } from "@merkle/db";
import type { OutputOf, ParsedInputOf, Proposal } from "@merkle/wire";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { JobServices } from "../jobs/feature.js";
import { requireReturnedDraft } from "../jobs/feature.js";
import type { Sources } from "../sources/feature.js";
import { requireSourcePath } from "../sources/feature.js";
import { hunksTask } from "./hunks-task.js";
import { requireProposal } from "./open-proposal.js";
import { type CurrentText, readBaseText, readCurrentText, toFileParts } from "./source-text.js";

/** Lists proposals, newest first (PROP-4). */
export async function listProposals(
  { services }: Context<JobServices>,
  { session_id, source_path, topic_id, status, before, limit }: ParsedInputOf<"list_proposals">,
): Promise<OutputOf<"list_proposals">> {
  const { orm, meshId } = services.database;
  const session = session_id === undefined ? undefined : await requireSession(services, session_id);
  const file = source_path === undefined ? undefined : requireSourcePath(source_path);
  const filter = { sessionId: session?.sessionId, file, topic: topic_id, status, before, limit: limit + 1 };
  const rows = await listProposalRows(orm, meshId, filter);
  return {
    proposals: await Promise.all(rows.slice(0, limit).map((row) => toProposal(services, row))),
    has_more: rows.length > limit,
  };
}

/**
 * Returns a proposal with the changes that it would make to the current text, or that a decided proposal made
 * (PROP-5).
 */
export async function getProposal(
  { services, principal }: Context<JobServices>,
  { proposal_id }: ParsedInputOf<"get_proposal">,
): Promise<OutputOf<"get_proposal">> {
  const { orm, meshId } = services.database;
  if (principal?.kind === "job") await requireReturnedDraft(orm, principal, proposal_id);
  const row = await requireProposal(orm, meshId, proposal_id);
  const [content, current] = await Promise.all([
    readProposalContent(orm, row),
    readCurrentText(services, row),
  ]);
  const [from, accepted] = await Promise.all([
    row.status === "open" ? current.text : readBaseText(services, row, row),
    readAcceptedText(services, row),
  ]);
  const hasTexts = content !== null && from !== null;
  return {
    // Compares the proposal with the same current text as the hunks do, so that the two results agree.
    ...(await toProposal(services, { ...row, currentVersion: current.version }, current)),
    content,
    current_version: current.version,
    current_sha: current.sha,
    hunks: hasTexts ? await services.workers.run(hunksTask, { from, to: content }) : [],
    left:
      content !== null && accepted !== null
        ? await services.workers.run(hunksTask, { from: accepted, to: content })
        : [],
  };
}

/**
 * Returns the text that an accepted rewrite produced. Returns null if nothing was accepted, if the text was
 * redacted, or if the whole proposal for a file was accepted.
 */
async function readAcceptedText(services: JobServices, row: ProposalWithVersion): Promise<string | null> {
  if (row.kind !== "rewrite" || row.acceptedContentHash === null) return null;
  const { orm, meshId } = services.database;
  const file = toFileParts(row);
  if (file)
    return findSourceText(orm, {
      meshId,
      ...file,
      hash: Buffer.from(row.acceptedContentHash).toString("hex"),
    });
  return readBaseText(services, row, { baseVersion: row.acceptedVersion, baseHash: null });
}

/**
 * Converts a proposal to its public form, without its text.
 *
 * @param current - the text to compare the proposal with; read if omitted
 */
async function toProposal(
  { sessions, sources, settings }: Pick<JobServices, "sessions" | "sources" | "settings">,
  row: ProposalWithVersion,
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
    unanswered: row.status === "open" && row.proposedAt < computeUnansweredCutoff({ settings }),
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    remark: row.remark,
    accepted_version: row.acceptedVersion,
    accepted_commit: row.acceptedCommit,
  };
}

/** Returns whether a proposal is open and its base is no longer the newest version. */
function isStale({ status, path, baseVersion, currentVersion }: ProposalWithVersion): boolean {
  return status === "open" && path === null && baseVersion !== currentVersion;
}

/**
 * Returns whether a proposal for a file is stale. If the file is missing or unreadable, the proposal is stale
 * too.
 */
async function isFileStale(
  sources: Sources,
  row: ProposalWithVersion,
  current: CurrentText | undefined,
): Promise<boolean> {
  const file = toFileParts(row);
  if (!file || row.status !== "open") return false;
  const sha = current ? current.sha : (await sources.open(file).catch(() => null))?.hash;
  return sha !== row.baseHash;
}
