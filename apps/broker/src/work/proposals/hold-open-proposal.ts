import {
  findProposal,
  holdProposals,
  type ProposalBesideSource,
  type ProposalRow,
  seriesOf,
  type Transaction,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/**
 * Holds a proposal until the transaction ends, so that nobody else decides about it, and returns it as it is then.
 *
 * @throws conflict when it is not open any more
 */
export async function holdOpenProposal(
  tx: Transaction,
  proposal: ProposalRow,
): Promise<ProposalBesideSource> {
  await holdProposals(tx, seriesOf(proposal));
  const row = await findProposal(tx, proposal);
  if (!row) throw new TypeError("A proposal is gone.");
  refuseDecided(row);
  return row;
}

/** @throws conflict with what was decided, and with the newest version, which may be what it became */
export function refuseDecided(row: ProposalBesideSource): void {
  if (row.status === "open") return;
  const by = row.decidedBy === null ? "by a newer revision" : `by ${row.decidedBy}`;
  throw new MerkleError(
    "conflict",
    `Proposal ${row.number} was ${row.status} ${by} before, so nothing was done. list_proposals shows what is open.`,
    {
      proposal_id: row.number,
      status: row.status,
      decided_by: row.decidedBy,
      ...(row.currentVersion !== null && { current_version: row.currentVersion }),
    },
  );
}
