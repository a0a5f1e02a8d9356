import { randomUUID } from "node:crypto";
import {
  type AuditSessionKey,
  countRecordIn,
  drawRecordNumber,
  findLastHash,
  insertThought,
  type Transaction,
} from "@merkle/db";
import { firstPrevHash, limits, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { auditCallerOf } from "./audit-caller.js";
import { refuseFinalized } from "./refuse-finalized.js";
import { hashThought } from "./thought-hash.js";
import { toHashed, toThought } from "./thought-output.js";
import { findMeantSession, noSuchSession } from "./which-session.js";

/**
 * Records a thought behind the task's last one, whose hash is part of its own (AUDIT-3). Without an audit session it stands
 * in its task's chain alone.
 *
 * @throws ERR_ALREADY_FINALIZED where the audit session is finalized, also when that happens at the same moment
 */
export async function thoughtRecord(
  ctx: MeshContext<SessionServices>,
  { type, content, task_id: task, session_id: named }: ParsedInputOf<"thought_record">,
): Promise<OutputOf<"thought_record">> {
  const { meshId } = ctx.services.database;
  const session = await findMeantSession(ctx, named);
  const recordedBy = auditCallerOf(ctx).name;
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("audit", null));
    const entered = session && (await enterSession(tx, session));
    const taskId = task ?? entered?.taskId;
    if (taskId == null) throw noTask();
    // From here to the commit nobody else records in this mesh, so that each chain goes on from its true end.
    const number = await drawRecordNumber(tx, meshId);
    const prevHash = (await findLastHash(tx, { meshId, taskId })) ?? firstPrevHash;
    const written = { id: randomUUID(), type, taskId, content, timestamp: new Date(), prevHash };
    const sessionId = session?.sessionId ?? null;
    const row = { ...written, number, hash: hashThought(toHashed(written)), sessionId, recordedBy };
    await insertThought(tx, meshId, row);
    return toThought(row);
  });
}

/** From here to the commit nobody finalizes the session. */
async function enterSession(tx: Transaction, session: AuditSessionKey): Promise<{ taskId: string | null }> {
  const entered = await countRecordIn(tx, session);
  if (!entered) throw noSuchSession(session.sessionId);
  await refuseFinalized(tx, session);
  if (entered.recordCount > limits.thoughtsPerAuditSessionMax) throw sessionFull(session);
  return entered;
}

function sessionFull({ sessionId }: AuditSessionKey): MerkleError {
  return new MerkleError(
    "conflict",
    `The audit session ${JSON.stringify(sessionId)} has ${limits.thoughtsPerAuditSessionMax} records, as many as one may have. Finalize it, and go on in a new one.`,
    { session_id: sessionId },
  );
}

function noTask(): MerkleError {
  return new MerkleError(
    "bad_request",
    "thought_record needs task_id: the audit session was started without one. Each task has a chain of its own.",
    { fields: [{ field: "task_id", problem: "missing" }] },
  );
}
