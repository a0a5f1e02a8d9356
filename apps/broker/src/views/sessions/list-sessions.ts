import {
  countSessions,
  listSessionRows,
  type SessionPosition,
  type SessionSort,
  toSessionPosition,
} from "@merkle/db";
import { isUuid, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { isStorable } from "@merkle/wire/text";
import { fillPage } from "../../core/fill-page.js";
import type { Context } from "../../sessions/context.js";
import { readNeedingSessions } from "../attention/put-away.js";
import type { ViewServices } from "../services.js";
import { readSessionFacts } from "./session-facts.js";
import { toSession } from "./session-output.js";

/**
 * Lists sessions, by default in the order of their latest activity. A page's cursor is the sort position of
 * its last row, so no session appears twice. A page ends at its limit or, if descriptions are long, at
 * `pageBytesMax` (SES-6).
 */
export async function listSessions(
  ctx: Context<ViewServices>,
  input: ParsedInputOf<"list_sessions">,
): Promise<OutputOf<"list_sessions">> {
  const { database } = ctx.services;
  const { sort, query, team, status, before, limit } = input;
  const needing = input.needs ? await readNeedingSessions(ctx.services, ctx.person?.personId ?? null) : null;
  const rows = await listSessionRows(database.orm, database.meshId, {
    query,
    team,
    isClosed: status === "all" ? undefined : status === "closed",
    sessionIds: needing ? [...needing] : undefined,
    sort,
    before: before === undefined ? undefined : parseCursor(before, sort),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const getFacts = await readSessionFacts(
    ctx,
    page.map((row) => row.sessionId),
  );
  const sessions = fillPage(page.map((row) => toSession(row, getFacts(row.sessionId))));
  const last = rows[sessions.length - 1];
  return {
    sessions,
    next_cursor:
      rows.length > sessions.length && last ? formatCursor(toSessionPosition(last, sort), sort) : null,
    counts: await countSessions(database.orm, database.meshId),
  };
}

/** Encodes a position in a sorted list of sessions as `next_cursor`, whose format callers need not know. */
function formatCursor({ key, sessionId }: SessionPosition, sort: SessionSort): string {
  return Buffer.from(JSON.stringify([sort, key, sessionId])).toString("base64url");
}

/**
 * Parses a cursor that `formatCursor` has encoded.
 *
 * @throws bad_request for anything that is not a cursor for this sort order
 */
function parseCursor(text: string, sort: SessionSort): SessionPosition {
  const [of, key, sessionId, ...more] = parseCursorParts(text);
  if (of !== sort || more.length > 0 || !isUuid(String(sessionId)) || !isKey(key, sort)) {
    throw new MerkleError(
      "bad_request",
      "before must be the next_cursor of the previous page, unchanged and with the same sort.",
      { field: "before" },
    );
  }
  return { key, sessionId: String(sessionId) };
}

function parseCursorParts(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function isKey(key: unknown, sort: SessionSort): key is string {
  if (typeof key !== "string" || !isStorable(key)) return false;
  if (sort === "size") return /^\d{1,18}$/.test(key);
  // JavaScript accepts dates whose year has a sign, but the database does not.
  return sort === "title" || (/^\d{4}-/.test(key) && new Date(key).getTime() >= 0);
}
