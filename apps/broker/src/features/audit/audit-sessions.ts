import { randomUUID } from "node:crypto";
import {
  type AuditSessionKey,
  type AuditSessionRow,
  findLastAuditSession,
  hasAuditSession,
  insertAuditSession,
  listAuditSessions as listRows,
} from "@merkle/db";
import { type AuditSession, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../../core/fill-page.js";
import type { Context, MeshContext, SessionServices, UnnamedContext } from "../../sessions/context.js";
import { formatAuthorName, formatPersonName, unnamedAgent } from "../../sessions/roster/author.js";

/**
 * Starts an audit session, which becomes the default for the caller's later calls (AUDIT-1).
 *
 * @throws ERR_SESSION_EXISTS if the mesh already has a session with this id; if two callers race for an id,
 * exactly one succeeds
 */
export async function startAuditSession(
  ctx: MeshContext<SessionServices> | UnnamedContext<SessionServices>,
  { session_id: sessionId = randomUUID(), intent, task_id }: ParsedInputOf<"audit_session_start">,
): Promise<OutputOf<"audit_session_start">> {
  const { meshId } = ctx.services.database;
  const taskId = task_id ?? null;
  const { id: startedBy, name: starter } = toAuditCaller(ctx);
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
    `An audit session ${JSON.stringify(sessionId)} already exists. Record in it, or leave the id out to start a session with a new id.`,
    { session_id: sessionId },
  );
}

/**
 * Lists the audit sessions of the mesh, newest first. Finalised sessions include their Merkle root
 * (AUDIT-13).
 */
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

/**
 * Finds the audit session for a call: the named session, or the last session that the caller started
 * (AUDIT-2).
 */
export async function findRequestedSession(
  ctx: Context<SessionServices>,
  requestedId: string | undefined,
): Promise<AuditSessionKey | null> {
  const { orm, meshId } = ctx.services.database;
  if (requestedId !== undefined) return { meshId, sessionId: requestedId };
  const sessionId = await findLastAuditSession(orm, meshId, toAuditCaller(ctx).id);
  return sessionId === null ? null : { meshId, sessionId };
}

/**
 * Returns the key of the audit session that a call refers to. Does not check that a session named by the call
 * exists.
 *
 * @throws ERR_SESSION_NOT_FOUND if the call names no session and the caller has started none
 */
export async function requireRequestedSession(
  ctx: Context<SessionServices>,
  requestedId: string | undefined,
): Promise<AuditSessionKey> {
  const key = await findRequestedSession(ctx, requestedId);
  if (!key) throw noSessionStarted();
  return key;
}

/** @throws ERR_SESSION_NOT_FOUND if the audit session does not exist */
export async function requireAuditSession(
  ctx: Context<SessionServices>,
  requestedId: string | undefined,
): Promise<AuditSessionKey> {
  const key = await requireRequestedSession(ctx, requestedId);
  if (await hasAuditSession(ctx.services.database.orm, key)) return key;
  throw noSuchSession(key.sessionId);
}

export function noSuchSession(sessionId: string): MerkleError {
  return new MerkleError(
    "ERR_SESSION_NOT_FOUND",
    `There is no audit session ${JSON.stringify(sessionId)}. Start one first. Sessions with a feed are not audit sessions.`,
    { session_id: sessionId, next: "audit_session_start" },
  );
}

function noSessionStarted(): MerkleError {
  return new MerkleError(
    "ERR_SESSION_NOT_FOUND",
    "You have not started an audit session. Start one, or name the audit session that you mean.",
    { next: "audit_session_start" },
  );
}

/** The author of an audit session or of its records: a peer, a person, or an unnamed agent (AUTH-15). */
interface AuditCaller {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the identity of the caller. Without a credential, each call gets a new id and so has no earlier
 * audit session.
 */
export function toAuditCaller({ team, person }: Context<SessionServices>): AuditCaller {
  if (team) return { id: team.peer.peerId, name: formatAuthorName(team) };
  if (person) return { id: person.personId, name: formatPersonName(person) };
  return { id: randomUUID(), name: unnamedAgent };
}
