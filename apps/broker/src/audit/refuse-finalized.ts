import { type AuditSessionKey, findMerkleRoot, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/**
 * To be asked by who holds the session's row, so that nobody finalizes it in between.
 *
 * @throws ERR_ALREADY_FINALIZED
 */
export async function refuseFinalized(tx: Transaction, session: AuditSessionKey): Promise<void> {
  const found = await findMerkleRoot(tx, session);
  if (!found) return;
  throw new MerkleError(
    "ERR_ALREADY_FINALIZED",
    `The audit session ${JSON.stringify(session.sessionId)} was finalized at ${found.finalizedAt.toISOString()}, for good. Go on in a new one: audit_session_start.`,
    { session_id: session.sessionId, root: found.root },
  );
}
