import type { Proposal, ProposalInFull } from "@merkle/wire";
import { type ReadResult, useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { useRefreshWithText } from "@/sessions/use-refresh-with-text";

/** Returns a proposal with its hunks, kept up to date with the text that it changes. */
export function useProposal(proposalId: number): ReadResult<ProposalInFull> {
  const read = useRead("get_proposal", { proposal_id: proposalId }, { on: ["proposals"] });
  // The hunks, and whether the proposal can be accepted, depend on the newest text.
  useRefreshWithText(read.refresh);
  return read;
}

/** Returns the proposals that await a decision, newest first. */
export function useOpenProposals(): readonly Proposal[] {
  const { source } = useSource();
  const { data, refresh } = useRead(
    "list_proposals",
    { ...toInput(source), status: "open" },
    { on: ["proposals"] },
  );
  useRefreshWithText(refresh);
  return data?.proposals ?? [];
}

/** Returns the next revision of a proposal, if there is one. */
export function useNextRevision({ status, topic_id, revision }: Proposal): Proposal | undefined {
  const { data } = useRead("list_proposals", status === "open" || topic_id === null ? null : { topic_id }, {
    on: ["proposals"],
  });
  return data?.proposals.find((each) => each.revision > revision);
}
