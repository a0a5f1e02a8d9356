import { findHashInSession, findMerkleRoot, listRecordHashes } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, SessionServices } from "../sessions/context.js";
import { notFinalized } from "./not-finalized.js";
import { merkleProofTask } from "./tasks.js";
import { findMeantSession } from "./which-session.js";

/**
 * Gives what shows, without the other records, that one is among those that an audit session was sealed with (AUDIT-9).
 *
 * @throws ERR_NOT_FINALIZED; not_found when the record is none of the session's; conflict when the records were changed since
 */
export async function merkleProofOf(
  ctx: Context<SessionServices>,
  { session_id: named, record_id }: ParsedInputOf<"merkle_proof">,
): Promise<OutputOf<"merkle_proof">> {
  const { database, workers } = ctx.services;
  const session = await findMeantSession(ctx, named);
  const finalized = session && (await findMerkleRoot(database.orm, session));
  if (!session || !finalized) throw notFinalized(session);
  const { sessionId: session_id } = session;
  const hash = await findHashInSession(database.orm, session, record_id);
  if (hash === null) throw noSuchRecord(session_id, record_id);
  const leaves = await listRecordHashes(database.orm, session);
  const { root, proof } = await workers.run(merkleProofTask, { leaves, leaf: hash });
  if (root !== finalized.root) throw recordsChanged(session_id);
  return { session_id, record_id, hash, root, proof: [...proof] };
}

function noSuchRecord(sessionId: string, recordId: string): MerkleError {
  return new MerkleError(
    "not_found",
    `The audit session ${JSON.stringify(sessionId)} has no record ${recordId}. thought_record_list shows those it has.`,
  );
}

function recordsChanged(sessionId: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The records of the audit session ${JSON.stringify(sessionId)} are not those that it was finalized with, so nothing can be proved of them. audit_verify_chain finds what was changed.`,
    { session_id: sessionId },
  );
}
