import { type AuditSessionRow, listAuditSessions as listRows } from "@merkle/db";
import type { AuditSession, OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import type { Context, SessionServices } from "../sessions/context.js";

/** Lists the audit sessions of the mesh, newest first, with what those that are finalized were sealed with (AUDIT-13). */
export async function listAuditSessions(
  { services }: Context<SessionServices>,
  { session_id: sessionId, before, limit }: ParsedInputOf<"list_audit_sessions">,
): Promise<OutputOf<"list_audit_sessions">> {
  const { orm, meshId } = services.database;
  const rows = await listRows(orm, meshId, { sessionId, before, limit: limit + 1 });
  const sessions = fillPage(rows.slice(0, limit).map(toAuditSession));
  const isMore = rows.length > sessions.length;
  return { sessions, next_cursor: isMore ? (rows[sessions.length - 1]?.number ?? null) : null };
}

function toAuditSession(row: AuditSessionRow): AuditSession {
  return {
    session_id: row.sessionId,
    intent: row.intent,
    task_id: row.taskId,
    started_by: row.starter,
    started_at: row.startedAt.toISOString(),
    record_count: row.recordCount,
    root: row.root,
    finalized_at: row.finalizedAt?.toISOString() ?? null,
  };
}
