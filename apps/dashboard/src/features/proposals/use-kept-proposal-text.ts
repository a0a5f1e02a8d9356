import { useKeptText } from "@/sessions/use-kept-text";

/** Returns the user's edited version of a proposed text. The browser stores it until it is accepted or discarded. */
export function useKeptProposalText(proposalId: number, initial: string) {
  return useKeptText(`merkle.proposal.${proposalId}`, initial);
}
