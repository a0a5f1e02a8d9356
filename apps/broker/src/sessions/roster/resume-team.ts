import { setLeft, setResynced, updatePeerFacts } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { TeamCaller } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";
import { announceJoined } from "./announce-joined.js";
import { announceRoster } from "./announce-roster.js";
import type { Joined } from "./join-session.js";
import { toPeerFacts } from "./peer-facts.js";
import { startAgainFrom } from "./start-again-from.js";

/** Gives a team its place back (JOIN-5). */
export async function resumeTeam(
  ctx: SessionContext<SessionServices>,
  team: TeamCaller,
  write: Write,
  input: ParsedInputOf<"join_session">,
): Promise<Joined> {
  const { services } = ctx;
  const { sessionId } = ctx.session;
  const { peer, name, credential, teamId } = team;
  await updatePeerFacts(write.tx, sessionId, peer.peerId, toPeerFacts(input));
  // The cursor that it is given is of this history.
  await setResynced(write.tx, sessionId, peer.peerId);
  if (team.leftAt && (await setLeft(write.tx, sessionId, teamId, null))) {
    await announceJoined(ctx, write, { name, peerId: peer.peerId, at: new Date() });
  }
  const cursor = input.replay_from ?? peer.acked;
  if (input.replay_from !== undefined) await startAgainFrom(ctx, write, peer.peerId, cursor);
  write.afterCommit(() => {
    peer.resync = false;
    services.credentials.forget(sessionId, teamId);
    announceRoster(services, sessionId);
  });
  return { credential, name, peer: null, resumed: true, cursor };
}
