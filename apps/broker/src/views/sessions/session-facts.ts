import { countUnread, listPresentPeers, type PresentPeerRow, readLastReads } from "@merkle/db";
import type { PresentTeam } from "@merkle/wire";
import { groupBy, type NonEmptyGroup } from "../../core/group-by.js";
import type { Context } from "../../sessions/context.js";
import { pickBestStatus } from "../../sessions/peers/status.js";
import { derivePresence, type RosterServices } from "../../sessions/roster/known-peers.js";
import { readQuietSince } from "../attention/facts.js";
import type { ViewServices } from "../services.js";
import type { DerivedSessionFacts } from "./session-output.js";

/**
 * Reads facts about sessions that replies contain in addition to the sessions' rows. Runs one query for each
 * kind of fact, regardless of the number of sessions.
 */
export async function readSessionFacts(
  ctx: Context<ViewServices>,
  sessionIds: readonly string[],
): Promise<(sessionId: string) => DerivedSessionFacts> {
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

/** Counts the caller's unread messages: a person's in all sessions, or a team's in its own session. */
async function readOwnUnread(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) return countUnread(orm, { meshId, personId: person.personId }, sessionIds);
  if (!team || !sessionIds.includes(team.peer.sessionId)) return new Map();
  return countUnread(orm, { teamId: team.teamId, after: team.peer.cursors.acked }, [team.peer.sessionId]);
}

/** Maximum number of teams shown for each session in a list. `teams` counts all of them. */
const teamsMax = 12;

/**
 * Returns the teams that are currently in each session, in the order in which they joined. Folded teams, which
 * have neither posted nor polled, are left out (SES-20).
 */
async function readPresentTeams(
  services: RosterServices,
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

function toPresentTeam(
  services: RosterServices,
  rows: NonEmptyGroup<PresentPeerRow>,
  now: number,
): PresentTeam {
  const [{ teamId, team, kind, colour }] = rows;
  const declared = rows.map(({ declaredStatus }) => declaredStatus);
  const seen = rows.map((row) => derivePresence(services, row, now));
  return {
    team_id: teamId,
    team_name: team,
    kind,
    colour,
    status: pickBestStatus(seen.map(({ status }) => status)),
    polling: seen.some(({ polling }) => polling),
    blocked: declared.includes("blocked"),
    dnd: !declared.includes("blocked") && declared.includes("dnd"),
  };
}

/**
 * Returns the caller's read position in each session. Sessions whose read position is unknown are left out
 * (PERSON-7).
 */
async function readOwnLastReads(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) {
    const reads = await readLastReads(orm, meshId, person.personId, sessionIds);
    return new Map(sessionIds.map((sessionId) => [sessionId, reads.get(sessionId) ?? 0]));
  }
  return new Map(team ? [[team.peer.sessionId, team.peer.cursors.acked]] : []);
}
