import { countSessions, listSessionRows, placeOf } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../../core/fill-page.js";
import type { Context } from "../../sessions/context.js";
import { readNeedingSessions } from "../attention/put-away.js";
import type { ViewServices } from "../services.js";
import { parsePlace, writePlace } from "./list-cursor.js";
import { readSessionFacts } from "./session-facts.js";
import { toSession } from "./session-output.js";

/**
 * Lists sessions, newest activity first unless told. A page's cursor is its last row's place in that order, so nothing is
 * counted twice; it ends at its limit or, with long descriptions, at `pageBytesMax` (SES-6).
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
    closed: status === "all" ? undefined : status === "closed",
    sessionIds: needing ? [...needing] : undefined,
    sort,
    before: before === undefined ? undefined : parsePlace(before, sort),
    limit: limit + 1,
  });
  const asked = rows.slice(0, limit);
  const factsOf = await readSessionFacts(
    ctx,
    asked.map((row) => row.sessionId),
  );
  const sessions = fillPage(asked.map((row) => toSession(row, factsOf(row.sessionId))));
  const last = rows[sessions.length - 1];
  return {
    sessions,
    next_cursor: rows.length > sessions.length && last ? writePlace(placeOf(last, sort), sort) : null,
    counts: await countSessions(database.orm, database.meshId),
  };
}
