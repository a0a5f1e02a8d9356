import {
  type AuditSessionKey,
  insertMerkleRoot,
  listRecordHashes,
  lockAuditSession,
  type MerkleRootRow,
} from "@merkle/db";
import { MerkleError, type MerkleRoot, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { refuseFinalized } from "./refuse-finalized.js";
import { merkleRootTask } from "./tasks.js";
import { noSuchSession, requireMeantSession } from "./which-session.js";

/**
 * Seals an audit session with the root over its records, once (AUDIT-7). Of two who finalize at the same moment, one does; a
 * thought that is recorded at the same moment is in the root, or refused.
 *
 * @throws ERR_SESSION_NOT_FOUND, ERR_ALREADY_FINALIZED, ERR_NO_RECORDS
 */
export async function merkleFinalize(
  ctx: MeshContext<SessionServices>,
  { session_id: named }: ParsedInputOf<"merkle_finalize">,
): Promise<OutputOf<"merkle_finalize">> {
  const session = await requireMeantSession(ctx, named);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("audit", null));
    if (!(await lockAuditSession(tx, session))) throw noSuchSession(session.sessionId);
    await refuseFinalized(tx, session);
    const leaves = await listRecordHashes(tx, session);
    if (leaves.length === 0) throw noRecords(session);
    const root = await ctx.services.workers.run(merkleRootTask, { leaves });
    const row = { root, recordCount: leaves.length, finalizedAt: new Date() };
    await insertMerkleRoot(tx, { ...session, ...row });
    return toMerkleRoot(session, row);
  });
}

export function toMerkleRoot(
  { sessionId }: AuditSessionKey,
  { root, recordCount, finalizedAt }: MerkleRootRow,
): MerkleRoot {
  return {
    session_id: sessionId,
    root,
    record_count: recordCount,
    finalized_at: finalizedAt.toISOString(),
  };
}

function noRecords({ sessionId }: AuditSessionKey): MerkleError {
  return new MerkleError(
    "ERR_NO_RECORDS",
    `The audit session ${JSON.stringify(sessionId)} has no records: thought_record comes before merkle_finalize.`,
    { session_id: sessionId },
  );
}
