import type { AuditSessionKey } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/** @param session - null where the caller names none and has started none */
export function notFinalized(session: AuditSessionKey | null): MerkleError {
  if (!session) {
    return new MerkleError(
      "ERR_NOT_FINALIZED",
      "You have started no audit session that could be finalized. Pass session_id of one that others started.",
    );
  }
  const { sessionId } = session;
  return new MerkleError(
    "ERR_NOT_FINALIZED",
    `The audit session ${JSON.stringify(sessionId)} is not finalized, or there is none of that id. merkle_finalize makes its root.`,
    { session_id: sessionId },
  );
}
