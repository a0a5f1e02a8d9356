import { countUnread } from "@merkle/db";
import type { Context } from "../../sessions/context.js";
import { readPresentTeams } from "../../sessions/roster/present-teams.js";
import { readQuietSince } from "../attention/quiet-sessions.js";
import type { ViewServices } from "../services.js";
import { readOwnLastReads } from "./last-reads.js";
import type { SessionFacts } from "./session-output.js";

/** What the caller is told of some sessions beside their rows: one query for each kind of fact, whatever their number. */
export async function readSessionFacts(
  ctx: Context<ViewServices>,
  sessionIds: readonly string[],
): Promise<(sessionId: string) => SessionFacts> {
  const [lastReads, unread, present, quietSince] = await Promise.all([
    readOwnLastReads(ctx, sessionIds),
    readOwnUnread(ctx, sessionIds),
    readPresentTeams(ctx.services, sessionIds),
    readQuietSince(ctx.services, sessionIds),
  ]);
  return (sessionId) => ({
    lastRead: lastReads.get(sessionId) ?? null,
    unread: unread.get(sessionId) ?? null,
    present: present.get(sessionId) ?? [],
    quietSince: quietSince.get(sessionId) ?? null,
  });
}

/** Of a person everywhere; of a team in its own session. */
async function readOwnUnread(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) return countUnread(orm, { meshId, personId: person.personId }, sessionIds);
  if (!team || !sessionIds.includes(team.peer.sessionId)) return new Map();
  return countUnread(orm, { teamId: team.teamId, after: team.peer.acked }, [team.peer.sessionId]);
}
