import { countUnread, listPresentPeers, type PresentPeerRow, readLastReads } from "@merkle/db";
import type { PresentTeam } from "@merkle/wire";
import { type Group, groupBy } from "../../core/group-by.js";
import type { Context, SessionServices } from "../../sessions/context.js";
import { bestStatus } from "../../sessions/peers/status.js";
import { sight } from "../../sessions/roster/known-peers.js";
import { readQuietSince } from "../attention/facts.js";
import type { ViewServices } from "../services.js";
import type { SessionFacts } from "./session-output.js";

/**
 * Reads the facts of some sessions that the caller is told beside their rows: one query for each kind of
 * fact, whatever their number.
 */
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

/** Counts what is unread: a person's everywhere, a team's in its own session. */
async function readOwnUnread(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) return countUnread(orm, { meshId, personId: person.personId }, sessionIds);
  if (!team || !sessionIds.includes(team.peer.sessionId)) return new Map();
  return countUnread(orm, { teamId: team.teamId, after: team.peer.acked }, [team.peer.sessionId]);
}

/** As many as a list of sessions has room for; `teams` counts the others. */
const teamsMax = 12;

type Parts = Pick<SessionServices, "database" | "presence" | "settings" | "nodes">;

/** The teams that are in each of some sessions now, in the order of joining; folded ones are left out (SES-20). */
async function readPresentTeams(
  services: Parts,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PresentTeam[]>> {
  const { database, settings } = services;
  const now = Date.now();
  const unseenSince = new Date(now - settings.current.fold_after_s * 1000);
  const peers = await listPresentPeers(database.orm, sessionIds, { teamsMax, unseenSince });
  return new Map(
    [...groupBy(peers, ({ sessionId }) => sessionId)].map(([sessionId, rows]) => {
      const teams = groupBy(rows, ({ teamId }) => teamId);
      return [sessionId, [...teams.values()].map((team) => toPresentTeam(services, team, now))];
    }),
  );
}

function toPresentTeam(services: Parts, rows: Group<PresentPeerRow>, now: number): PresentTeam {
  const [{ teamId, team, kind, colour }] = rows;
  const declared = rows.map(({ declaredStatus }) => declaredStatus);
  const seen = rows.map((row) => sight(services, row, now));
  return {
    team_id: teamId,
    team_name: team,
    kind,
    colour,
    status: bestStatus(seen.map(({ status }) => status)),
    polling: seen.some(({ polling }) => polling),
    blocked: declared.includes("blocked"),
    dnd: !declared.includes("blocked") && declared.includes("dnd"),
  };
}

/** How far the caller has read in some sessions; what is missing is not known (PERSON-7). */
async function readOwnLastReads(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) {
    const reads = await readLastReads(orm, meshId, person.personId, sessionIds);
    return new Map(sessionIds.map((sessionId) => [sessionId, reads.get(sessionId) ?? 0]));
  }
  return new Map(team ? [[team.peer.sessionId, team.peer.acked]] : []);
}
