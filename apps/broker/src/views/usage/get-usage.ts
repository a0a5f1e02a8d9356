import { listUsage, type UsageSumsRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

/** Sums what was reported of a session, or of all of the mesh (USAGE-4). */
export async function getUsage(
  { services }: Context<ViewServices>,
  { session_id, by, since, until, limit }: ParsedInputOf<"get_usage">,
): Promise<OutputOf<"get_usage">> {
  const { orm, meshId } = services.database;
  const sessionId = session_id === undefined ? null : (await requireSession(services, session_id)).sessionId;
  const rows = await listUsage(orm, { meshId, sessionId, since: since ?? null, until: until ?? null }, by);
  const shown = rows.slice(0, limit).map(({ name, session: slug, task, source, ...row }) => ({
    ...{ name, session: slug, task, source },
    ...toSums([row]),
  }));
  return { by, rows: shown, total: toSums(rows), more: rows.length - shown.length };
}

type Sums = OutputOf<"get_usage">["total"];

function toSums(rows: readonly UsageSumsRow[]): Sums {
  const sum = (name: keyof UsageSumsRow) => rows.reduce((total, row) => total + row[name], 0);
  const costed = sum("costed_reports");
  return {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cache_read_tokens: sum("cache_read_tokens"),
    cache_write_tokens: sum("cache_write_tokens"),
    cost_usd: costed === 0 ? null : sum("cost_micros") / 1_000_000,
    cost_is_partial: costed > 0 && costed < sum("reports"),
  };
}
