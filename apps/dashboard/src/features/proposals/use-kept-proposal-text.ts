import { useKeptText } from "@/sessions/use-kept-text";

/** The text that somebody writes in place of a proposed one, kept in the browser until it is accepted or not wanted. */
export function useKeptProposalText(proposalId: number, initial: string) {
  return useKeptText(`merkle.proposal.${proposalId}`, initial);
}
