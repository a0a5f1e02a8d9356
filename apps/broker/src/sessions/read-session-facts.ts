import type { Context } from "../context.js";
import { readPresentTeams } from "../roster/present-teams.js";
import { readOwnLastReads } from "./last-reads.js";
import type { SessionFacts } from "./session-output.js";

/** What the caller is told of some sessions beside their rows: one query for each kind of fact, whatever their number. */
export async function readSessionFacts(
  ctx: Context,
  sessionIds: readonly string[],
): Promise<(sessionId: string) => SessionFacts> {
  const [lastReads, present] = await Promise.all([
    readOwnLastReads(ctx, sessionIds),
    readPresentTeams(ctx.services, sessionIds),
  ]);
  return (sessionId) => ({
    lastRead: lastReads.get(sessionId) ?? null,
    present: present.get(sessionId) ?? [],
  });
}
