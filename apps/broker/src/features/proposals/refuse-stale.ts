import type { ProposalRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/** Thrown if a decision was not based on the newest version. Nothing has been written. */
export class StaleBase extends Error {
  override readonly name = "StaleBase";

  readonly currentVersion: number;

  constructor(currentVersion: number) {
    super(`The document is at version ${currentVersion}.`);
    this.currentVersion = currentVersion;
  }
}

/**
 * @throws StaleBase unless the proposal is based on the newest version and the person reviewed that version
 */
export function refuseStale(
  { baseVersion }: Pick<ProposalRow, "baseVersion">,
  seen: number | string,
  currentVersion: number,
): void {
  if (baseVersion !== currentVersion || seen !== currentVersion) throw new StaleBase(currentVersion);
}

/**
 * Returns the error for accepting a proposal if its base, or the version that the person saw, is not the
 * newest.
 *
 * @param rebased - whether the whole proposal can be merged onto the newest version
 */
export function staleProposal(
  { number, baseVersion }: Pick<ProposalRow, "number" | "baseVersion">,
  { current_version, rebased }: { readonly current_version: number; readonly rebased: boolean },
): MerkleError {
  return new MerkleError(
    "conflict",
    baseVersion === current_version
      ? `The document is at version ${current_version}, which is not the version that you reviewed, so nothing was written. Review proposal ${number} again, then accept it.`
      : `Proposal ${number} is based on version ${baseVersion}, but the document is at version ${current_version}, so nothing was written. Rebase the proposal and review the new revision.`,
    { proposal_id: number, base_version: baseVersion, current_version, rebased },
  );
}
