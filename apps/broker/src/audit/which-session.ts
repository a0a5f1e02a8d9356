import { type AuditSessionKey, findLastAuditSession, hasAuditSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Context, SessionServices } from "../sessions/context.js";
import { auditCallerOf } from "./audit-caller.js";

/** The audit session that a call means: the one it names, or the last one that its caller started (AUDIT-2). */
export async function findMeantSession(
  ctx: Context<SessionServices>,
  named: string | undefined,
): Promise<AuditSessionKey | null> {
  const { orm, meshId } = ctx.services.database;
  if (named !== undefined) return { meshId, sessionId: named };
  const caller = auditCallerOf(ctx);
  const sessionId = caller && (await findLastAuditSession(orm, meshId, caller.id));
  return sessionId === null ? null : { meshId, sessionId };
}

/** @throws ERR_SESSION_NOT_FOUND when the caller names none and has started none; one that is named may still not be there */
export async function requireMeantSession(
  ctx: Context<SessionServices>,
  named: string | undefined,
): Promise<AuditSessionKey> {
  const key = await findMeantSession(ctx, named);
  if (!key) throw noSessionStarted();
  return key;
}

/** @throws ERR_SESSION_NOT_FOUND */
export async function requireAuditSession(
  ctx: Context<SessionServices>,
  named: string | undefined,
): Promise<AuditSessionKey> {
  const key = await requireMeantSession(ctx, named);
  if (await hasAuditSession(ctx.services.database.orm, key)) return key;
  throw noSuchSession(key.sessionId);
}

export function noSuchSession(sessionId: string): MerkleError {
  return new MerkleError(
    "ERR_SESSION_NOT_FOUND",
    `No audit session ${JSON.stringify(sessionId)} was started. Start one with audit_session_start; a session with a feed is none.`,
    { session_id: sessionId },
  );
}

function noSessionStarted(): MerkleError {
  return new MerkleError(
    "ERR_SESSION_NOT_FOUND",
    "You have started no audit session. Start one with audit_session_start, or pass session_id of one that others started.",
  );
}
