import { findSession } from "@merkle/db";
import { MerkleError, type OutputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import { readFeatureFacts } from "../../sessions/hooks.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import type { ViewServices } from "../services.js";
import { readSessionFacts } from "./session-facts.js";
import { toLastChange, toSession } from "./session-output.js";

export async function getSession(ctx: SessionContext<ViewServices>): Promise<OutputOf<"get_session">> {
  const { session } = ctx;
  const { orm, meshId } = ctx.services.database;
  const [row, featureFacts] = await Promise.all([
    findSession(orm, meshId, session.sessionId),
    readFeatureFacts(ctx.services, session.sessionId),
  ]);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  const getFacts = await readSessionFacts(ctx, [row.sessionId]);
  return {
    ...toSession(row, getFacts(row.sessionId)),
    settings: toSessionSettings(row.settings),
    last_change: toLastChange(row),
    agent_messages: row.agentMessages - row.agentMessagesAtHuman,
    ...featureFacts,
    origin:
      row.originId !== null && row.originKey !== null && row.importedAt !== null
        ? { record_id: row.originId, key_id: row.originKey, imported_at: row.importedAt.toISOString() }
        : null,
  };
}
