import {
  bringPeerBack,
  lockPeer,
  lockSession,
  lockTeam,
  placeCursor,
  setLeft,
  setResynced,
  updatePeerFacts,
} from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { TeamActor } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";
import type { JoinResult } from "./add.js";
import { announceJoined, announceRoster } from "./announce-roster.js";
import { findFreeName } from "./names.js";
import { toPeerFacts } from "./peer-facts.js";

/** Resumes an existing team (JOIN-5). */
export async function resumeTeam(
  ctx: SessionContext<SessionServices>,
  team: TeamActor,
  write: Write,
  input: ParsedInputOf<"join_session">,
): Promise<JoinResult> {
  const { services } = ctx;
  const { sessionId } = ctx.session;
  const { peer, name, credential, teamId } = team;
  await updatePeerFacts(write.tx, sessionId, peer.peerId, toPeerFacts(input));
  // The returned cursor belongs to the current history, so the team needs no resync.
  await setResynced(write.tx, sessionId, peer.peerId);
  if (team.leftAt && (await setLeft(write.tx, sessionId, teamId, null))) {
    await announceJoined(ctx, write, { teamId, name, peerId: peer.peerId, at: new Date() });
  }
  const cursor = input.replay_from ?? peer.cursors.acked;
  if (input.replay_from !== undefined) await restartReading(ctx, write, peer.peerId, cursor);
  write.afterCommit(() => {
    peer.needsResync = false;
    services.credentials.invalidate(sessionId, teamId);
    announceRoster(services, sessionId);
  });
  return { credential, name, peer: null, resumed: true, cursor };
}

/**
 * Resumes a named peer with its row, cursor and groups (PEER-3). If the peer had left or was retired, both
 * the peer and its team return. If the peer's name has been taken since, it gets a numbered name.
 */
export async function resumePeer(
  ctx: SessionContext<SessionServices>,
  team: TeamActor,
  write: Write,
  input: ParsedInputOf<"join_session">,
): Promise<JoinResult> {
  const { services } = ctx;
  const { sessionId } = ctx.session;
  const { teamId, credential } = team;
  const { peerId, cursors } = team.peer;
  const { tx } = write;

  await lockTeam(tx, sessionId, teamId);
  const name = await takeNameBack(write, { sessionId, teamId, peerId });
  await bringPeerBack(tx, sessionId, peerId, name);
  await updatePeerFacts(tx, sessionId, peerId, toPeerFacts(input));
  // The returned cursor belongs to the current history, so the peer needs no resync.
  await setResynced(tx, sessionId, peerId);
  if (await setLeft(tx, sessionId, teamId, null)) {
    await announceJoined(ctx, write, { teamId, name: team.name, peerId, at: new Date() });
  }
  const cursor = input.replay_from ?? cursors.acked;
  if (input.replay_from !== undefined) await restartReading(ctx, write, peerId, cursor);
  write.afterCommit(() => {
    team.peer.needsResync = false;
    for (const id of [peerId, teamId]) services.credentials.invalidate(sessionId, id);
    team.peer.name = name;
    announceRoster(services, sessionId);
  });
  return { credential, name: team.name, peer: { credential, name }, resumed: true, cursor };
}

async function takeNameBack(
  { tx }: Write,
  peer: { readonly sessionId: string; readonly teamId: string; readonly peerId: string },
): Promise<string> {
  const { name, leftAt } = await lockPeer(tx, peer.sessionId, peer.peerId);
  if (leftAt === null) return name;
  await lockSession(tx, peer.sessionId);
  return findFreeName(tx, peer, name);
}

/** Moves a peer's cursor to the requested position, backwards or forwards (JOIN-3). */
export async function restartReading(
  { services, session }: SessionContext<SessionServices>,
  write: Write,
  peerId: string,
  cursor: number,
): Promise<void> {
  await placeCursor(write.tx, session.sessionId, peerId, cursor);
  write.afterCommit(() => {
    const peer = services.presence.find(peerId);
    if (peer) void services.presence.advance(peer, { type: "placed", cursor });
  });
}
