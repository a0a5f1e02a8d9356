import { decideProposalRow, findTopic, type ProposalWithVersion, readProposalContent } from "@merkle/db";
import { MerkleError, type SourcePathParts } from "@merkle/wire";
import { applyHunks } from "@merkle/wire/document";
import { sha256 } from "../../core/sha256.js";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/feature.js";
import { keepFileText } from "../sources/feature.js";
import { announceProposals, closeTopic } from "../topics/feature.js";
import { hunksTask } from "./hunks-task.js";
import { mergeOntoNewest } from "./merge-onto-newest.js";
import { type DecideProposalInput, holdOpenProposal } from "./open-proposal.js";
import { readBaseText } from "./source-text.js";

interface FileProposal {
  readonly proposal: ProposalWithVersion;
  readonly file: SourcePathParts;
}

/**
 * Commits an accepted proposal for a file: the whole proposal, a part, or a person's edited version
 * (SOURCE-7). The commit's author is the agent. The trailers name the approver, the topic and the proposal.
 * The commit cannot be undone, so every step that is likely to fail comes before it. If recording the commit
 * nevertheless fails, accepting again finds the commit and records it.
 *
 * @throws conflict, with the current hash, if the file is not the version that the proposal is based on and
 *   that the person reviewed
 */
export async function acceptFile(
  ctx: PersonContext<JobServices>,
  { proposal, file }: FileProposal,
  input: DecideProposalInput,
) {
  const { services, person } = ctx;
  const { baseHash, topic, meshId, number, sessionId } = proposal;
  if (baseHash === null || topic === null)
    throw new TypeError("The proposal for a file must have a hash and a topic.");
  if (input.base !== baseHash) throw await staleFile(ctx, { proposal, file });
  const content = await chooseText(ctx, proposal, input);
  const acceptedContentHash = sha256(content);
  const title = (await findTopic(services.database.orm, { meshId, number: topic }))?.title ?? "";

  return ctx.write(async (write) => {
    await holdOpenProposal(write.tx, proposal);
    // Stores the accepted text, so that the rejected part can be shown later even if the file changes.
    if (input.hunks !== undefined || input.content !== undefined) {
      const hash = acceptedContentHash.toString("hex");
      await keepFileText(write.tx, services, file, { hash, text: content });
    }
    await closeTopic(
      write,
      { meshId, number: topic },
      { by: person.name, reason: "accepted", causedBy: null },
    );
    const commit = await commitOrExplain(ctx, { proposal, file }, () =>
      services.sources.commit(file, {
        baseHash,
        content,
        subject: `Incorporate topic ${topic}: ${title}`,
        trailers: {
          "Approved-by": person.name,
          "Merkle-Topic": String(topic),
          "Merkle-Proposal": String(number),
        },
      }),
    );
    await decideProposalRow(write.tx, proposal, {
      status: "accepted",
      decidedBy: person.name,
      acceptedContentHash,
      acceptedVersion: null,
      acceptedCommit: commit,
    });
    write.afterCommit(() => {
      announceProposals(services, sessionId);
      services.mesh.announce("topics", sessionId);
    });
    return { status: "accepted" as const, version: null, commit };
  });
}

/**
 * Commits the text. On a conflict, checks whether the file has changed, and reports the change as the reason.
 */
async function commitOrExplain(
  ctx: PersonContext<JobServices>,
  fileProposal: FileProposal,
  commit: () => Promise<{ readonly commit: string }>,
): Promise<string> {
  try {
    return (await commit()).commit;
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "conflict") throw error;
    const current = await ctx.services.sources.open(fileProposal.file).catch(() => null);
    if (current?.hash === fileProposal.proposal.baseHash) throw error;
    throw await staleFile(ctx, fileProposal);
  }
}

async function chooseText(
  { services }: PersonContext<JobServices>,
  proposal: ProposalWithVersion,
  { content, hunks }: DecideProposalInput,
): Promise<string> {
  const [base, proposed] = await Promise.all([
    readBaseText(services, proposal, proposal),
    readProposalContent(services.database.orm, proposal),
  ]);
  if (base === null || proposed === null) throw new TypeError("An open proposal must have a text.");
  if (content !== undefined) {
    if (content !== base) return content;
    throw badRequest(
      "content",
      "The edited text is the same as the current text. Reject the proposal instead.",
    );
  }
  if (!hunks) return proposed;
  const all = await services.workers.run(hunksTask, { from: base, to: proposed });
  const chosen = all.filter(({ id }) => hunks.includes(id));
  const applied = applyHunks(base, chosen);
  if (chosen.length === hunks.length && applied !== null) return applied;
  throw badRequest("hunks", "The proposal has no such hunks. Open it again to see its current hunks.");
}

async function staleFile(
  { services }: PersonContext<JobServices>,
  { proposal, file }: FileProposal,
): Promise<MerkleError> {
  const { number, baseHash } = proposal;
  const merged = await mergeOntoNewest(services, proposal);
  return new MerkleError(
    "conflict",
    merged?.sha === baseHash
      ? `${file.root}/${file.path} is not the version that you reviewed, so nothing was written. Review proposal ${number} again, then accept it.`
      : `${file.root}/${file.path} has changed since proposal ${number} was made, so nothing was written. Rebase the proposal and review the new revision.`,
    {
      proposal_id: number,
      base_sha: baseHash,
      current_sha: merged?.sha ?? null,
      rebased: merged !== null && merged.conflicts.length === 0,
    },
  );
}

function badRequest(field: string, message: string): MerkleError {
  return new MerkleError("bad_request", message, { fields: [{ field, problem: message }] });
}
