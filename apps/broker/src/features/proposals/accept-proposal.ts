import { decideProposalRow, type ProposalWithVersion, readProposalContent } from "@merkle/db";
import { MerkleError, type OutputOf, operationRules } from "@merkle/wire";
import { applyHunks } from "@merkle/wire/document";
import { sha256 } from "../../core/sha256.js";
import { concludeWithSummary } from "../../document/conclude-session.js";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import { requireConvenerPolicy } from "../../sessions/access/convener-policy.js";
import type { PersonContext } from "../../sessions/context.js";
import { prepareTeamWrite } from "../../sessions/roster/join-as-person.js";
import type { JobServices } from "../jobs/feature.js";
import { announceProposals, closeTopic } from "../topics/feature.js";
import { acceptFile } from "./accept-file.js";
import { agentName } from "./agent-name.js";
import { type AcceptedText, applyAccepted } from "./apply-accepted.js";
import { hunksTask } from "./hunks-task.js";
import { mergeOntoNewest } from "./merge-onto-newest.js";
import {
  type DecideProposalInput,
  holdOpenProposal,
  type ProposalDecider,
  refuseDecided,
} from "./open-proposal.js";
import { refuseStale, StaleBase, staleProposal } from "./refuse-stale.js";
import { readCurrentText, toFileParts } from "./source-text.js";

/**
 * Makes a proposal the next version of its document or file: the whole proposal, a part, or a person's edited
 * version (PROP-7). If several people accept at the same time, exactly one succeeds. The others get a conflict
 * error that contains the new version.
 */
export const acceptProposal: ProposalDecider = async (ctx, proposal, input) => {
  const { services, person } = ctx;
  refuseDecided(proposal);
  const file = toFileParts(proposal);
  if (file) return acceptFile(ctx, { proposal, file }, input);
  const session = await requireSession(services, proposal.sessionId ?? "");
  const seen = input.base ?? "";
  try {
    // Checked first, so that a person who accepts a stale proposal does not join the session.
    refuseStale(proposal, seen, proposal.currentVersion ?? 0);
    const content = await chooseText(ctx, proposal, input);
    const accepted = {
      proposal,
      content,
      seen,
      proposedBy: proposal.proposedBy ?? agentName,
      approvedBy: person.name,
    };
    return proposal.kind === "conclusion"
      ? await acceptConclusion(ctx, session, accepted)
      : await acceptRewrite(ctx, session, accepted);
  } catch (error) {
    if (!(error instanceof StaleBase)) throw error;
    const merged = await mergeOntoNewest(services, proposal);
    const canRebase = merged !== null && merged.conflicts.length === 0;
    throw staleProposal(proposal, { current_version: error.currentVersion, rebased: canRebase });
  }
};

async function acceptRewrite(
  ctx: PersonContext<JobServices>,
  session: SessionIdentity,
  accepted: AcceptedText,
) {
  const { services } = ctx;
  const { proposal, content, approvedBy } = accepted;
  if (session.isClosed) throw sessionClosed(session);
  const { team, write: joinAndWrite } = await prepareTeamWrite(ctx, session);
  return joinAndWrite(async (write) => {
    await holdOpenProposal(write.tx, proposal);
    const { version, commit } = await applyAccepted(write, { services, session, team }, accepted);
    await decideProposalRow(write.tx, proposal, {
      status: "accepted",
      decidedBy: approvedBy,
      acceptedContentHash: sha256(content),
      acceptedVersion: version,
      acceptedCommit: commit,
    });
    if (proposal.topic !== null) {
      const { meshId, topic } = proposal;
      const closing = { by: approvedBy, reason: "accepted" as const, causedBy: team.peer.peerId };
      await closeTopic(write, { meshId, number: topic }, closing);
    }
    write.afterCommit(() => {
      announceProposals(services, session.sessionId);
      services.mesh.announce("topics", session.sessionId);
    });
    return { status: "accepted" as const, version, commit };
  });
}

/**
 * Accepts a proposed conclusion and concludes the session with it, if the session allows this person to
 * conclude.
 */
async function acceptConclusion(
  ctx: PersonContext<JobServices>,
  session: SessionIdentity,
  { proposal, content, proposedBy, approvedBy, seen }: AcceptedText,
) {
  const { services } = ctx;
  const { team, write } = await prepareTeamWrite(ctx, session);
  await requireConvenerPolicy(services, operationRules.conclude_session.restrictedBy, session, team);
  const concluded = await concludeWithSummary(
    { services, session, team, write },
    {
      summary: content,
      writtenBy: `${proposedBy}, approved by ${approvedBy}`,
      check: async (tx, document) => {
        await holdOpenProposal(tx, proposal);
        refuseStale(proposal, seen, document.version);
      },
      record: async (tx, version) => {
        await decideProposalRow(tx, proposal, {
          status: "accepted",
          decidedBy: approvedBy,
          acceptedContentHash: sha256(content),
          acceptedVersion: version,
          acceptedCommit: null,
        });
      },
    },
  );
  announceProposals(services, session.sessionId);
  return toAccepted(concluded);
}

export function toAccepted({ doc_version: version }: OutputOf<"conclude_session">) {
  return { status: "accepted" as const, version };
}

/** Returns the text to accept: the edited text, the selected hunks, or the whole proposal. */
async function chooseText(
  { services }: PersonContext<JobServices>,
  proposal: ProposalWithVersion,
  { content, hunks }: DecideProposalInput,
): Promise<string> {
  if (content !== undefined) return refuseUnchanged(services, proposal, content);
  const proposed = await readProposalContent(services.database.orm, proposal);
  if (proposed === null) throw new TypeError("An open proposal must have a text.");
  if (!hunks) return proposed;
  const { text } = await readCurrentText(services, proposal);
  const all = await services.workers.run(hunksTask, { from: text, to: proposed });
  const chosen = all.filter(({ id }) => hunks.includes(id));
  const unknownHunks = hunks.filter((id) => !all.some((hunk) => hunk.id === id));
  if (unknownHunks.length > 0) throw noSuchHunks(proposal.number, unknownHunks);
  const applied = applyHunks(text, chosen);
  if (applied === null) throw new TypeError("The hunks of the text could not be applied to it.");
  return applied;
}

/**
 * Refuses edited text that is the same as the current text. Accepting it would add a version without changes.
 * The person can reject the proposal instead.
 */
async function refuseUnchanged(
  services: PersonContext<JobServices>["services"],
  proposal: ProposalWithVersion,
  content: string,
): Promise<string> {
  const { text } = await readCurrentText(services, proposal);
  if (content !== text && (proposal.kind === "rewrite" || content.trim() !== "")) return content;
  throw new MerkleError(
    "bad_request",
    content === text
      ? "The edited text is the same as the current text. Reject the proposal instead."
      : "A conclusion must not be blank.",
    { fields: [{ field: "content", problem: content === text ? "changes nothing" : "blank" }] },
  );
}

function noSuchHunks(number: number, hunks: readonly string[]): MerkleError {
  return new MerkleError(
    "conflict",
    `Proposal ${number} has no hunk ${hunks.slice(0, 5).join(", ")} on the current text, so nothing was written. Open the proposal again to see its current hunks.`,
    { proposal_id: number, hunks: hunks.slice(0, 100), next: "get_proposal" },
  );
}
