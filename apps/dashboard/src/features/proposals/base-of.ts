import type { Revision } from "@/sessions/source";
import type { ProposalInFull } from "./use-proposals";

/** The text that a proposal is shown against, as it is named to who writes it; null where there is none any more. */
export function baseOf({ current_version, current_sha }: ProposalInFull): Revision | null {
  return current_version ?? current_sha;
}
