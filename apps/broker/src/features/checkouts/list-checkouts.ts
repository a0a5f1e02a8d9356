import { listCheckouts as listCheckoutRows } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";

const checkoutsMax = 500;

/** Lists where the agents of a session, or of all open sessions, work (CHECKOUT-2). */
export async function listCheckouts(
  { services }: Context<ViewServices>,
  { session_id }: ParsedInputOf<"list_checkouts">,
): Promise<OutputOf<"list_checkouts">> {
  const { orm, meshId } = services.database;
  const sessionId = session_id === undefined ? null : (await requireSession(services, session_id)).sessionId;
  const rows = await listCheckoutRows(orm, { meshId, sessionId, limit: checkoutsMax });
  return {
    checkouts: rows.map(({ checkout, team, name, task, ...row }) => ({
      ...checkout,
      session_id: row.sessionId,
      peer_id: row.peerId,
      team,
      name,
      task: task === 0 ? null : task,
      reported_at: row.reportedAt.toISOString(),
    })),
  };
}
