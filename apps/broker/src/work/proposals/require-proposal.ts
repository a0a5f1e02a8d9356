import { findProposal, type ProposalBesideSource, type Queryable } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/** @throws not_found */
export async function requireProposal(
  db: Queryable,
  meshId: string,
  number: number,
): Promise<ProposalBesideSource> {
  const row = await findProposal(db, { meshId, number });
  if (row) return row;
  throw new MerkleError(
    "not_found",
    `There is no proposal ${number} in this mesh. list_proposals shows those there are.`,
  );
}
