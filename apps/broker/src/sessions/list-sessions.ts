import { listSessionRows, type SessionRow } from "@merkle/db";
import { isUuid, MerkleError } from "@merkle/wire";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";
import { fillPage } from "../fill-page.js";
import { readSessionFacts } from "./read-session-facts.js";
import { toSession } from "./session-output.js";

/**
 * Lists sessions, newest activity first. A page's cursor is its last row's time and id, so nothing is counted twice; it
 * ends at its limit or, with long descriptions, at `pageBytesMax` (SES-6).
 */
export async function listSessions(
  ctx: Context,
  input: ParsedInputOf<"list_sessions">,
): Promise<OutputOf<"list_sessions">> {
  const { database } = ctx.services;
  const rows = await listSessionRows(database.orm, database.meshId, {
    query: input.query,
    closed: input.status === "all" ? undefined : input.status === "closed",
    before: input.before === undefined ? undefined : parseCursor(input.before),
    limit: input.limit + 1,
  });
  const asked = rows.slice(0, input.limit);
  const factsOf = await readSessionFacts(
    ctx,
    asked.map((row) => row.sessionId),
  );
  const sessions = fillPage(asked.map((row) => toSession(row, factsOf(row.sessionId))));
  const last = rows[sessions.length - 1];
  return {
    sessions,
    next_cursor: rows.length > sessions.length && last ? toCursor(last) : null,
  };
}

function toCursor(row: SessionRow): string {
  return `${(row.lastPostedAt ?? row.createdAt).toISOString()}_${row.sessionId}`;
}

function parseCursor(text: string): { activeAt: Date; sessionId: string } {
  const [time = "", sessionId = ""] = text.split("_");
  const activeAt = new Date(time);
  // Years that need a sign are dates to JavaScript, and none to the database.
  if (!/^\d{4}-/.test(time) || !(activeAt.getTime() >= 0) || !isUuid(sessionId)) {
    throw new MerkleError(
      "bad_request",
      "list_sessions: before must be the next_cursor of the page before, unchanged.",
    );
  }
  return { activeAt, sessionId };
}
