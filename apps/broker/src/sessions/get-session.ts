import { findSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { OutputOf, SessionContext } from "../context.js";
import { toSessionSettings } from "../settings/get-settings.js";
import { readOwnLastReads } from "./last-reads.js";
import { toSession } from "./session-output.js";

export async function getSession(ctx: SessionContext): Promise<OutputOf<"get_session">> {
  const { session } = ctx;
  const { database } = ctx.services;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  const lastReads = await readOwnLastReads(ctx, [row.sessionId]);
  const lastRead = lastReads.get(row.sessionId) ?? null;
  return {
    ...toSession(row, lastRead),
    settings: toSessionSettings(row.settings),
    last_change: null,
    agent_messages: row.agentMessages - row.agentMessagesAtHuman,
  };
}
