import { listPresentPeers, type PresentPeerRow } from "@merkle/db";
import type { PresentTeam } from "@merkle/wire";
import { type Group, groupBy } from "../../core/group-by.js";
import type { SessionServices } from "../context.js";
import { bestStatus } from "../peers/status.js";
import { sight } from "./known-peers.js";

/** As many as a list of sessions has room for; `teams` counts the others. */
const teamsMax = 12;

type Parts = Pick<SessionServices, "database" | "presence" | "settings">;

/** The teams that are in each of some sessions now, in the order of joining; folded ones are left out (SES-20). */
export async function readPresentTeams(
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
  const seen = rows.map((row) => sight(services, { ...row, left: false }, now));
  return {
    team_id: teamId,
    team_name: team,
    kind,
    colour,
    status: bestStatus(seen.map(({ status }) => status)),
    polling: seen.some(({ polling }) => polling),
    blocked: rows.some(({ declaredStatus }) => declaredStatus === "blocked"),
  };
}
