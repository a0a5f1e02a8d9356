import { findSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { OutputOf, SessionContext } from "../context.js";
import { toSessionSettings } from "../settings/get-settings.js";
import { readSessionFacts } from "./read-session-facts.js";
import { toLastChange, toSession } from "./session-output.js";

export async function getSession(ctx: SessionContext): Promise<OutputOf<"get_session">> {
  const { session } = ctx;
  const { database } = ctx.services;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  const factsOf = await readSessionFacts(ctx, [row.sessionId]);
  return {
    ...toSession(row, factsOf(row.sessionId)),
    settings: toSessionSettings(row.settings),
    last_change: toLastChange(row),
    agent_messages: row.agentMessages - row.agentMessagesAtHuman,
  };
}
