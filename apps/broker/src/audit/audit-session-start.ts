import { randomUUID } from "node:crypto";
import { insertAuditSession } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext, SessionServices } from "../sessions/context.js";
import { auditCallerOf } from "./audit-caller.js";

/**
 * Starts an audit session, which is then the one that its caller's other calls mean (AUDIT-1).
 *
 * @throws ERR_SESSION_EXISTS when the mesh has one of that id; of two who race for an id, one starts it
 */
export async function auditSessionStart(
  ctx: MeshContext<SessionServices>,
  { session_id: sessionId = randomUUID(), intent, task_id }: ParsedInputOf<"audit_session_start">,
): Promise<OutputOf<"audit_session_start">> {
  const { meshId } = ctx.services.database;
  const taskId = task_id ?? null;
  const { id: startedBy, name: starter } = auditCallerOf(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("audit", null));
    const startedAt = new Date();
    const session = { meshId, sessionId, intent, taskId, startedBy, starter, startedAt };
    if (!(await insertAuditSession(tx, session))) throw sessionExists(sessionId);
    return { session_id: sessionId, intent, task_id: taskId, started_at: startedAt.toISOString() };
  });
}

function sessionExists(sessionId: string): MerkleError {
  return new MerkleError(
    "ERR_SESSION_EXISTS",
    `There is an audit session ${JSON.stringify(sessionId)} already. Pass it as session_id to record in it, or leave session_id out to get a new one.`,
    { session_id: sessionId },
  );
}
