import type { OutputOf } from "@merkle/wire";
import { type Read, useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { useRefreshWithText } from "@/sessions/use-refresh-with-text";

export type Proposal = OutputOf<"list_proposals">["proposals"][number];
export type ProposalInFull = OutputOf<"get_proposal">;

/** A proposal with what it would change, kept up to date with the text that it is for. */
export function useProposal(proposalId: number): Read<ProposalInFull> {
  const read = useRead("get_proposal", { proposal_id: proposalId }, { on: ["proposals"] });
  // The newest text decides what the proposal changes, and whether it can be accepted as it is.
  useRefreshWithText(read.refresh);
  return read;
}

/** The proposals that wait for somebody to decide, newest first. */
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

/** The newest revision that came after a proposal. */
export function useNextRevision({ status, topic_id, revision }: Proposal): Proposal | undefined {
  const { data } = useRead("list_proposals", status === "open" || topic_id === null ? null : { topic_id }, {
    on: ["proposals"],
  });
  return data?.proposals.find((each) => each.revision > revision);
}
