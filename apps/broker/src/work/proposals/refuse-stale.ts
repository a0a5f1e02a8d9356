import type { ProposalRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/** A refusal because something was decided about that is not the newest any more; nothing was written. */
export class StaleBase extends Error {
  override readonly name = "StaleBase";

  readonly currentVersion: number;

  constructor(currentVersion: number) {
    super(`The document is at version ${currentVersion}.`);
    this.currentVersion = currentVersion;
  }
}

/** @throws StaleBase unless the proposal was made from the newest version, and that is what its decider has seen */
export function refuseStale(
  { baseVersion }: Pick<ProposalRow, "baseVersion">,
  seen: number | string,
  currentVersion: number,
): void {
  if (baseVersion !== currentVersion || seen !== currentVersion) throw new StaleBase(currentVersion);
}

/**
 * Returns the error for a proposal that was made on an older version, or accepted by somebody who has not seen the newest.
 *
 * @param rebased - whether all of it can be brought onto the newest version
 */
export function staleProposal(
  { number, baseVersion }: Pick<ProposalRow, "number" | "baseVersion">,
  { current_version, rebased }: { readonly current_version: number; readonly rebased: boolean },
): MerkleError {
  return new MerkleError(
    "conflict",
    baseVersion === current_version
      ? `The document is at version ${current_version}, which is not the one that you have seen; nothing was written. Look at proposal ${number} again, and accept it with base ${current_version}.`
      : `Proposal ${number} was made on version ${baseVersion}, and the document is at version ${current_version}; nothing was written. Decide rebase, and look at the new revision.`,
    { proposal_id: number, base_version: baseVersion, current_version, rebased },
  );
}
