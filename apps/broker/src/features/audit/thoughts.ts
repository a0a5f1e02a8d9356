import { hash, randomUUID } from "node:crypto";
import {
  type AuditSessionKey,
  countRecordIn,
  drawRecordNumber,
  findLastHash,
  findMerkleRoot,
  insertThought,
  listThoughts,
  type ThoughtRow,
  type Transaction,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, type ThoughtRecord } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { firstPrevHash, type HashedThought, serialiseThought } from "@merkle/wire/record";
import { fillPage } from "../../core/fill-page.js";
import type { Context, MeshContext, SessionServices, UnnamedContext } from "../../sessions/context.js";
import { findRequestedSession, noSuchSession, requireAuditSession, toAuditCaller } from "./audit-sessions.js";

/**
 * Appends a thought to its task's chain. Its hash covers the hash of the previous record (AUDIT-3). Without an
 * audit session, the thought belongs only to its task's chain.
 *
 * @throws ERR_ALREADY_FINALIZED if the audit session is finalised, even if that happens at the same time
 */
export async function recordThought(
  ctx: MeshContext<SessionServices> | UnnamedContext<SessionServices>,
  { type, content, task_id: task, session_id: requestedId }: ParsedInputOf<"thought_record">,
): Promise<OutputOf<"thought_record">> {
  const { meshId } = ctx.services.database;
  const session = await findRequestedSession(ctx, requestedId);
  const recordedBy = toAuditCaller(ctx).name;
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("audit", null));
    const auditSession = session && (await enterSession(tx, session));
    const taskId = task ?? auditSession?.taskId;
    if (taskId == null) throw noTask();
    // From this call until the commit, no other caller can add a record in this mesh. The hash read below is
    // therefore still the newest at the commit.
    const number = await drawRecordNumber(tx, meshId);
    const prevHash = (await findLastHash(tx, { meshId, taskId })) ?? firstPrevHash;
    const thought = { id: randomUUID(), type, taskId, content, timestamp: new Date(), prevHash };
    const sessionId = session?.sessionId ?? null;
    const row = { ...thought, number, hash: hashThought(toHashedThought(thought)), sessionId, recordedBy };
    await insertThought(tx, meshId, row);
    return toThought(row);
  });
}

/**
 * Adds one to the session's record count. From this call until the commit, the session cannot be finalised.
 */
async function enterSession(tx: Transaction, session: AuditSessionKey): Promise<{ taskId: string | null }> {
  const auditSession = await countRecordIn(tx, session);
  if (!auditSession) throw noSuchSession(session.sessionId);
  await refuseFinalized(tx, session);
  if (auditSession.recordCount > limits.thoughtsPerAuditSessionMax) throw sessionFull(session);
  return auditSession;
}

function sessionFull({ sessionId }: AuditSessionKey): MerkleError {
  return new MerkleError(
    "conflict",
    `The audit session ${JSON.stringify(sessionId)} has ${limits.thoughtsPerAuditSessionMax} records, which is the limit. Finalize it and continue in a new audit session.`,
    { session_id: sessionId },
  );
}

function noTask(): MerkleError {
  return new MerkleError(
    "bad_request",
    "task_id is missing: the audit session was started without a task, and each task has its own chain of records.",
    { fields: [{ field: "task_id", problem: "missing" }] },
  );
}

/**
 * Lists records in the order in which they were recorded, regardless of their timestamps. A page ends at its
 * limit or at `pageBytesMax` (AUDIT-5).
 */
export async function listThoughtRecords(
  ctx: Context<SessionServices>,
  { task_id: taskId, session_id: requestedId, after, limit }: ParsedInputOf<"thought_record_list">,
): Promise<OutputOf<"thought_record_list">> {
  const { orm, meshId } = ctx.services.database;
  const isOfAllSessions = taskId !== undefined && requestedId === undefined;
  const sessionId = isOfAllSessions ? undefined : (await requireAuditSession(ctx, requestedId)).sessionId;
  const rows = await listThoughts(orm, meshId, { sessionId, taskId, after, limit: limit + 1 });
  const records = fillPage(rows.slice(0, limit).map(toThought));
  return { records, next_cursor: rows.length > records.length ? (records.at(-1)?.number ?? null) : null };
}

type HashedColumns = Pick<ThoughtRow, "id" | "type" | "taskId" | "content" | "timestamp" | "prevHash">;

/** Returns the parts of a record that its hash covers. */
export function toHashedThought({
  id,
  type,
  taskId,
  content,
  timestamp,
  prevHash,
}: HashedColumns): HashedThought {
  return { id, type, task_id: taskId, content, timestamp: timestamp.toISOString(), prev_hash: prevHash };
}

function toThought(row: ThoughtRow): ThoughtRecord {
  const { id, number, type, taskId, content, timestamp, prevHash, hash, sessionId, recordedBy } = row;
  return {
    id,
    number,
    type,
    task_id: taskId,
    content,
    timestamp: timestamp.toISOString(),
    prev_hash: prevHash,
    hash,
    session_id: sessionId,
    recorded_by: recordedBy,
  };
}

/**
 * Refuses changes to a finalised session. The caller must hold a lock on the session's row, so that the session
 * cannot be finalised after this check.
 *
 * @throws ERR_ALREADY_FINALIZED
 */
export async function refuseFinalized(tx: Transaction, session: AuditSessionKey): Promise<void> {
  const rootRow = await findMerkleRoot(tx, session);
  if (!rootRow) return;
  throw new MerkleError(
    "ERR_ALREADY_FINALIZED",
    `The audit session ${JSON.stringify(session.sessionId)} was finalized at ${rootRow.finalizedAt.toISOString()} and can no longer be changed. Continue in a new audit session.`,
    { session_id: session.sessionId, root: rootRow.root, next: "audit_session_start" },
  );
}

/** Returns the hash of a record as hexadecimal digits (AUDIT-4). */
export function hashThought(thought: HashedThought): string {
  return hash("sha256", serialiseThought(thought), "hex");
}
