import { listPeers, lockTeam, setLeft, setPeerLeft, setPeersLeft } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { hasLeft } from "../access/authorize.js";
import type { SessionServices, TeamContext } from "../context.js";
import { announceRoster, readEventPriority } from "./announce-roster.js";

/**
 * Ends the participation of a team or, if a named peer calls, of that peer. When a team's last named peer
 * leaves, the team leaves too (JOIN-6, PEER-9). The rows in the roster are kept.
 */
export async function leaveSession(ctx: TeamContext<SessionServices>): Promise<OutputOf<"leave_session">> {
  const { sessionId } = ctx.session;
  const { teamId, peer } = ctx.team;
  return ctx.write(async (write) => {
    const leftAt = new Date();
    await lockTeam(write.tx, sessionId, teamId);
    if (peer.name === null) await endTeam(ctx, write, leftAt);
    else await endPeer(ctx, write, leftAt);
    return { session_id: sessionId, team_id: teamId, left_at: leftAt.toISOString() };
  });
}

async function endPeer(ctx: TeamContext<SessionServices>, write: Write, leftAt: Date): Promise<void> {
  const { services, session, team } = ctx;
  const { peerId } = team.peer;
  if (!(await setPeerLeft(write.tx, session.sessionId, peerId, leftAt))) throw hasLeft(team);
  if (await isTeamLeftEmpty(ctx, write)) return endTeam(ctx, write, leftAt);
  dropPeers(ctx, write, [peerId]);
  write.afterCommit(() => announceRoster(services, session.sessionId));
}

/** Returns whether all named peers of the team have left and the team's unnamed peer never read messages. */
async function isTeamLeftEmpty(
  { services, session, team }: TeamContext<SessionServices>,
  write: Write,
): Promise<boolean> {
  const { database, presence } = services;
  const all = await listPeers(write.tx, database.meshId, session.sessionId);
  return all
    .filter((peer) => peer.teamId === team.teamId)
    .every((peer) => {
      if (peer.name !== null) return peer.leftAt !== null;
      return !(presence.find(peer.peerId)?.lastPolledAt ?? peer.lastPolledAt);
    });
}

async function endTeam(ctx: TeamContext<SessionServices>, write: Write, leftAt: Date): Promise<void> {
  const { services, session, team } = ctx;
  const { sessionId } = session;
  if (!(await setLeft(write.tx, sessionId, team.teamId, leftAt))) throw hasLeft(team);
  const leftPeerIds = await setPeersLeft(write.tx, sessionId, team.teamId, leftAt);
  const { sequence } = await write.announce(
    sessionId,
    { event: "team_left", team: team.name, at: leftAt.toISOString() },
    {
      causedBy: team.peer.peerId,
      afterClosing: true,
      priority: await readEventPriority(write, sessionId),
    },
  );
  dropPeers(ctx, write, [...leftPeerIds, team.peer.peerId]);
  write.afterCommit(() => services.channels.announceChange(sessionId, "roster", sequence));
}

/**
 * Ends the waits of the peers that left, and drops the cached credentials of these peers and their team. Call
 * after the commit.
 */
function dropPeers(
  { services, session, team, person }: TeamContext<SessionServices>,
  write: Write,
  peerIds: string[],
): void {
  write.afterCommit(() => {
    const holders = person ? [person.personId] : [team.teamId, ...peerIds];
    for (const id of holders) services.credentials.invalidate(session.sessionId, id);
    services.presence.endWaits(session.sessionId, peerIds);
  });
}
