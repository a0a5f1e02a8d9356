import { listThoughts } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { fillPage } from "../core/fill-page.js";
import type { Context, SessionServices } from "../sessions/context.js";
import { toThought } from "./thought-output.js";
import { requireAuditSession } from "./which-session.js";

/** Lists records in the order in which they came, whatever their times say; a page ends at its limit or at `pageBytesMax` (AUDIT-5). */
export async function thoughtRecordList(
  ctx: Context<SessionServices>,
  { task_id: taskId, session_id: named, after, limit }: ParsedInputOf<"thought_record_list">,
): Promise<OutputOf<"thought_record_list">> {
  const { orm, meshId } = ctx.services.database;
  const isOfAllSessions = taskId !== undefined && named === undefined;
  const sessionId = isOfAllSessions ? undefined : (await requireAuditSession(ctx, named)).sessionId;
  const rows = await listThoughts(orm, meshId, { sessionId, taskId, after, limit: limit + 1 });
  const records = fillPage(rows.slice(0, limit).map(toThought));
  return { records, next_cursor: rows.length > records.length ? (records.at(-1)?.number ?? null) : null };
}
