import type { Revision } from "@/sessions/source";
import type { ProposalInFull } from "./use-proposals";

/**
 * Returns the revision that a proposal is compared with. Accepting the proposal sends this revision. Null if the text
 * no longer exists.
 */
export function findBase({ current_version, current_sha }: ProposalInFull): Revision | null {
  return current_version ?? current_sha;
}
