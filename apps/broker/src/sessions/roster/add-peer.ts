import { randomUUID } from "node:crypto";
import { insertPeer, lockSession, lockTeam, placeCursor, setLeft } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { makeCredential } from "../../identity/credential.js";
import type { TeamCaller } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";
import { announceJoined } from "./announce-joined.js";
import { announceRoster } from "./announce-roster.js";
import type { Joined, JoinedSession } from "./join-session.js";
import { toPeerFacts } from "./peer-facts.js";
import { refuseTakenName } from "./peer-names.js";

/** Adds a named peer to a team, which reads on from the feed's end. No event tells of it, unless the team had left. */
export async function addPeer(
  ctx: SessionContext<SessionServices>,
  team: TeamCaller,
  write: Write,
  input: ParsedInputOf<"join_session"> & { readonly peer_name: string },
  { lastSequence, documentVersion }: JoinedSession,
): Promise<Joined> {
  const { services } = ctx;
  const { sessionId } = ctx.session;
  const { teamId } = team;
  const { tx } = write;
  await lockTeam(tx, sessionId, teamId);
  await lockSession(tx, sessionId);

  const peerId = randomUUID();
  await refuseTakenName(tx, { sessionId, teamId, peerId }, input.peer_name);
  const { credential, secretHash } = makeCredential(peerId);
  const named = { name: input.peer_name, secretHash };
  let cursor = input.replay_from ?? lastSequence;
  await insertPeer(tx, {
    sessionId,
    teamId,
    peerId,
    cursor,
    documentVersion,
    named,
    facts: toPeerFacts(input),
  });
  if (await setLeft(tx, sessionId, teamId, null)) {
    const joined = await announceJoined(ctx, write, { name: team.name, peerId, at: new Date() });
    cursor = input.replay_from ?? joined;
    await placeCursor(tx, sessionId, peerId, cursor);
  }
  write.afterCommit(() => {
    services.credentials.forget(sessionId, teamId);
    announceRoster(services, sessionId);
  });
  const peer = { credential, name: named.name };
  return { credential: team.credential, name: team.name, peer, resumed: false, cursor };
}
