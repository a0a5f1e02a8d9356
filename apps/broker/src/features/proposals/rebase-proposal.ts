import { insertProposalRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { keepFileText } from "../sources/feature.js";
import { announceProposals } from "../topics/feature.js";
import { countLines } from "./count-lines.js";
import { hunksTask } from "./hunks-task.js";
import { type MergedProposal, mergeOntoNewest } from "./merge-onto-newest.js";
import { announceDecision, holdOpenProposal, type ProposalDecider, refuseDecided } from "./open-proposal.js";
import { toFileParts } from "./source-text.js";

/**
 * Creates a new revision of a stale proposal on the newest text, without running an agent. A person then
 * reviews the new revision (PROP-8). If the proposal and the newest text changed the same passage, the newest
 * text is kept and the note names the section.
 *
 * @throws conflict if no change is left to decide on
 */
export const rebaseProposal: ProposalDecider = async (ctx, proposal) => {
  const { services } = ctx;
  refuseDecided(proposal);
  const merged = await mergeOntoNewest(services, proposal);
  if (!merged) throw baseIsGone(proposal.number);
  const isOnNewest =
    proposal.path === null ? merged.version === proposal.baseVersion : merged.sha === proposal.baseHash;
  if (isOnNewest) throw alreadyNewest(proposal.number);
  const { content, current, version, sha, conflicts } = merged;
  const hunks = await services.workers.run(hunksTask, { from: current, to: content });
  if (hunks.length === 0) throw nothingLeft(proposal.number, conflicts.length);

  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    const { kind, meshId, sessionId, root, path, topic, proposedBy, job, note, baseVersion } =
      await holdOpenProposal(tx, proposal);
    const file = toFileParts(proposal);
    if (file && sha !== null) await keepFileText(tx, services, file, { hash: sha, text: current });
    const next = await insertProposalRow(tx, {
      ...{ kind, meshId, sessionId, root, path, topic, proposedBy, job, content },
      ...countLines(hunks),
      baseVersion: version,
      baseHash: sha,
      note: formatNote(note, { from: baseVersion, ...merged }),
    });
    await announceDecision(ctx, write, proposal, "rebase");
    afterCommit(() => announceProposals(services, sessionId));
    return { status: "replaced" as const, next_proposal_id: next.number, conflicts: conflicts.length };
  });
};

/** Returns the author's note, followed by a description of the rebase. */
function formatNote(
  note: string,
  { from, version, conflicts }: Pick<MergedProposal, "version" | "conflicts"> & { from: number | null },
): string {
  const where = conflicts.map((heading) => heading || "the beginning").join("; ");
  const summary = version === null ? "Rebased" : `Rebased from v${from} to v${version}`;
  const conflictNote =
    conflicts.length === 0
      ? "."
      : `; in ${conflicts.length === 1 ? "one place" : `${conflicts.length} places`} both had changed, and the newest text was kept: ${where}.`;
  const rebaseNote = `${summary}${conflictNote}`.slice(0, limits.proposalNoteCharsMax / 2);
  const originalNote = note.slice(0, limits.proposalNoteCharsMax - rebaseNote.length - 2);
  return originalNote === "" ? rebaseNote : `${originalNote}\n\n${rebaseNote}`;
}

function alreadyNewest(number: number): MerkleError {
  return new MerkleError(
    "conflict",
    `Proposal ${number} is already based on the newest text, so there is nothing to rebase.`,
    {
      proposal_id: number,
    },
  );
}

function nothingLeft(number: number, conflicts: number): MerkleError {
  return new MerkleError(
    "conflict",
    `Nothing of proposal ${number} is left on the newest text: ${conflicts === 0 ? "the text already contains all of it. Reject it" : "the passages that it changes have changed since. Reject it, or request changes"}.`,
    { proposal_id: number, conflicts },
  );
}

function baseIsGone(number: number): MerkleError {
  return new MerkleError(
    "conflict",
    `The text that proposal ${number} is based on was removed, so it cannot be rebased. Reject it, or request changes.`,
    { proposal_id: number },
  );
}
