import { listTeams, type RosterRow, type TeamWithPeer } from "@merkle/db";
import type { Participant } from "@merkle/wire";
import type { Services } from "../context.js";
import type { SessionIdentity } from "../sessions/directory.js";
import type { Peer } from "./peer.js";

/** Everybody who ever joined a session, with the status that follows from what was seen of them (ROSTER-4). */
export async function readRoster(services: Services, session: SessionIdentity): Promise<Participant[]> {
  const rows = await listTeams(services.database.orm, services.database.meshId, session.sessionId);
  const now = Date.now();
  return rows.map((row) => {
    const live = services.presence.find(row.peer.peerId);
    const seenAt = latest(row.peer.lastSeenAt, live?.lastSeenAt ?? null);
    return {
      team_id: row.teamId,
      team_name: row.name,
      kind: row.kind,
      person_id: row.personId,
      convener: row.teamId === session.createdByTeamId,
      joined_at: row.joinedAt.toISOString(),
      last_seen_at: (seenAt ?? row.joinedAt).toISOString(),
      left_at: row.leftAt?.toISOString() ?? null,
      status: deriveStatus(services, row, live, seenAt, now),
      polling: (live?.waits.size ?? 0) > 0,
      connections: live?.connections ?? 0,
      last_read: lastReadOf(row, live),
      folded: seenAt === null && ageS(row.joinedAt, now) > services.settings.current.fold_after_s,
    };
  });
}

function deriveStatus(
  { settings }: Services,
  row: TeamWithPeer,
  live: Peer | undefined,
  seenAt: Date | null,
  now: number,
): Participant["status"] {
  const { active_within_s, disconnected_after_s } = settings.current;
  const unseenS = ageS(seenAt ?? row.joinedAt, now);
  if (row.leftAt) return "disconnected";
  if ((live?.waits.size ?? 0) > 0 || unseenS <= active_within_s) return "active";
  if ((live?.connections ?? 0) > 0 || unseenS <= disconnected_after_s) return "idle";
  return "disconnected";
}

/** A person reads by other means than the team's cursor, which starts at its joining and tells nothing of that. */
function lastReadOf(row: RosterRow, live: Peer | undefined): number {
  if (row.personId !== null) return row.personLastRead ?? 0;
  return Math.max(row.peer.acked, live?.acked ?? 0);
}

function ageS(then: Date, now: number): number {
  return (now - then.getTime()) / 1000;
}

function latest(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b;
  return a > b ? a : b;
}
