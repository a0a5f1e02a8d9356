import { listUsage, type UsageSumsRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";

/** Returns the reported usage of a session or of the whole mesh (USAGE-4). */
export async function getUsage(
  { services }: Context<ViewServices>,
  { session_id, by, since, until, limit }: ParsedInputOf<"get_usage">,
): Promise<OutputOf<"get_usage">> {
  const { orm, meshId } = services.database;
  const sessionId = session_id === undefined ? null : (await requireSession(services, session_id)).sessionId;
  const filter = { meshId, sessionId, since: since ?? null, until: until ?? null };
  const { rows, groups, total } = await listUsage(orm, filter, by, limit);
  const shown = rows.map(({ name, session, task, source, ...row }) => ({
    ...{ name, session, task, source },
    ...toSums(row),
  }));
  return { by, rows: shown, total: toSums(total), more: groups - shown.length };
}

function toSums(row: UsageSumsRow | null): OutputOf<"get_usage">["total"] {
  const { costed_reports: costed = 0, cost_micros = 0, reports = 0 } = row ?? {};
  return {
    input_tokens: row?.input_tokens ?? 0,
    output_tokens: row?.output_tokens ?? 0,
    cache_read_tokens: row?.cache_read_tokens ?? 0,
    cache_write_tokens: row?.cache_write_tokens ?? 0,
    cost_usd: costed === 0 ? null : cost_micros / 1_000_000,
    cost_is_partial: costed > 0 && costed < reports,
  };
}
