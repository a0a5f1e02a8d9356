import type { ProposalInFull } from "@merkle/wire";
import type { Revision } from "@/sessions/source";

/**
 * Returns the revision that a proposal is compared with. Accepting the proposal sends this revision. Null if the text
 * no longer exists.
 */
export function findBase({ current_version, current_sha }: ProposalInFull): Revision | null {
  return current_version ?? current_sha;
}
