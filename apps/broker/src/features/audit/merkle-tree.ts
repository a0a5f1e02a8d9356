import {
  type AuditSessionKey,
  findHashInSession,
  findMerkleRoot,
  insertMerkleRoot,
  listRecordHashes,
  lockAuditSession,
  type MerkleRootRow,
} from "@merkle/db";
import { MerkleError, type MerkleRoot, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, MeshContext, SessionServices, UnnamedContext } from "../../sessions/context.js";
import { findRequestedSession, noSuchSession, requireRequestedSession } from "./audit-sessions.js";
import { merkleProofTask, merkleRootTask } from "./merkle-tasks.js";
import { refuseFinalized } from "./thoughts.js";

/**
 * Finalises an audit session: stores the Merkle root of its records, once (AUDIT-7). If two callers finalise
 * at the same time, exactly one succeeds. A thought that is recorded concurrently is either covered by the
 * root or refused.
 *
 * @throws ERR_SESSION_NOT_FOUND, ERR_ALREADY_FINALIZED, ERR_NO_RECORDS
 */
export async function finalizeMerkleRoot(
  ctx: MeshContext<SessionServices> | UnnamedContext<SessionServices>,
  { session_id: requestedId }: ParsedInputOf<"merkle_finalize">,
): Promise<OutputOf<"merkle_finalize">> {
  const session = await requireRequestedSession(ctx, requestedId);
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

function toMerkleRoot(
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
    `The audit session ${JSON.stringify(sessionId)} has no records. Add at least one record before you finalize it.`,
    { session_id: sessionId, next: "thought_record" },
  );
}

/**
 * Returns the stored Merkle root of an audit session (AUDIT-8).
 *
 * @throws ERR_NOT_FINALIZED, even if the session was never started
 */
export async function getMerkleRoot(
  ctx: Context<SessionServices>,
  { session_id: requestedId }: ParsedInputOf<"merkle_root">,
): Promise<OutputOf<"merkle_root">> {
  const session = await findRequestedSession(ctx, requestedId);
  const rootRow = session && (await findMerkleRoot(ctx.services.database.orm, session));
  if (!session || !rootRow) throw notFinalized(session);
  return toMerkleRoot(session, rootRow);
}

/**
 * Returns a Merkle proof that a record is in a finalised audit session. Checking the proof does not need the
 * other records (AUDIT-9).
 *
 * @throws ERR_NOT_FINALIZED; not_found if the session has no such record; conflict if the records have
 *   changed since the session was finalised
 */
export async function getMerkleProof(
  ctx: Context<SessionServices>,
  { session_id: requestedId, record_id }: ParsedInputOf<"merkle_proof">,
): Promise<OutputOf<"merkle_proof">> {
  const { database, workers } = ctx.services;
  const session = await findRequestedSession(ctx, requestedId);
  const rootRow = session && (await findMerkleRoot(database.orm, session));
  if (!session || !rootRow) throw notFinalized(session);
  const { sessionId: session_id } = session;
  const hash = await findHashInSession(database.orm, session, record_id);
  if (hash === null) throw noSuchRecord(session_id, record_id);
  const leaves = await listRecordHashes(database.orm, session);
  const { root, proof } = await workers.run(merkleProofTask, { leaves, leaf: hash });
  if (root !== rootRow.root) throw recordsChanged(session_id);
  return { session_id, record_id, hash, root, proof: [...proof] };
}

function noSuchRecord(sessionId: string, recordId: string): MerkleError {
  return new MerkleError(
    "not_found",
    `The audit session ${JSON.stringify(sessionId)} has no record ${recordId}.`,
    { next: "thought_record_list" },
  );
}

function recordsChanged(sessionId: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The records of the audit session ${JSON.stringify(sessionId)} were changed after it was finalized, so they cannot be proved. Verify its chain to find the changed records.`,
    { session_id: sessionId, next: "audit_verify_chain" },
  );
}

/**
 * Returns the error for an audit session that is not finalised.
 *
 * @param session - null if the caller names no session and has started none
 */
function notFinalized(session: AuditSessionKey | null): MerkleError {
  if (!session) {
    return new MerkleError(
      "ERR_NOT_FINALIZED",
      "You have not started an audit session that is finalized. Name the audit session that you mean.",
      { next: "list_audit_sessions" },
    );
  }
  const { sessionId } = session;
  return new MerkleError(
    "ERR_NOT_FINALIZED",
    `The audit session ${JSON.stringify(sessionId)} does not exist or is not finalized. Finalizing it creates its root.`,
    { session_id: sessionId, next: "merkle_finalize" },
  );
}

/** Returns whether a session's records match its stored root, or null if the session is not finalised. */
export async function rootMatches(
  { database, workers }: SessionServices,
  session: AuditSessionKey,
): Promise<boolean | null> {
  const rootRow = await findMerkleRoot(database.orm, session);
  if (!rootRow) return null;
  const leaves = await listRecordHashes(database.orm, session);
  if (leaves.length !== rootRow.recordCount) return false;
  return (await workers.run(merkleRootTask, { leaves })) === rootRow.root;
}
