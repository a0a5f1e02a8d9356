import { randomUUID } from "node:crypto";
import { insertPeer, insertTeam, lockSession, placeCursor } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { makeCredential } from "../../identity/credential.js";
import { ownerOf } from "../../identity/principal.js";
import type { SessionContext, SessionServices } from "../context.js";
import { announceJoined } from "./announce-joined.js";
import type { Joined, JoinedSession } from "./join-session.js";
import { toPeerFacts } from "./peer-facts.js";
import { refuseTakenName } from "./peer-names.js";
import { takeName } from "./take-name.js";

/** Adds a team, with a named peer if its joiner asks for one, which then is the one that reads. */
export async function addTeam(
  ctx: SessionContext<SessionServices>,
  write: Write,
  input: ParsedInputOf<"join_session">,
  { documentVersion }: JoinedSession,
): Promise<Joined> {
  const { sessionId } = ctx.session;
  const { tx } = write;
  const [teamId, unnamedId, namedId] = [randomUUID(), randomUUID(), randomUUID()];
  const joinedAt = new Date();
  const { credential, secretHash } = makeCredential(teamId);
  const memberId = ownerOf(ctx.principal);
  const name = await takeName(tx, sessionId, input.team_name, (free) =>
    insertTeam(tx, { sessionId, teamId, name: free, provedBy: { secretHash }, memberId, joinedAt }),
  );

  // The peers are stored before the event, which must come last; their cursors are put behind it once it has a number.
  const start = { sessionId, teamId, cursor: 0, documentVersion };
  const facts = toPeerFacts(input);
  if (input.peer_name === undefined) {
    await insertPeer(tx, { ...start, peerId: unnamedId, facts });
    const cursor = await announceJoined(ctx, write, { name, peerId: unnamedId, at: joinedAt });
    await placeCursor(tx, sessionId, unnamedId, input.replay_from ?? cursor);
    return { credential, name, peer: null, resumed: false, cursor: input.replay_from ?? cursor };
  }

  await lockSession(tx, sessionId);
  await refuseTakenName(tx, { sessionId, teamId, peerId: namedId }, input.peer_name);
  const peer = makeCredential(namedId);
  const named = { name: input.peer_name, secretHash: peer.secretHash };
  await insertPeer(tx, { ...start, peerId: unnamedId });
  await insertPeer(tx, { ...start, peerId: namedId, named, facts });
  const cursor = await announceJoined(ctx, write, { name, peerId: namedId, at: joinedAt });
  await placeCursor(tx, sessionId, unnamedId, cursor);
  await placeCursor(tx, sessionId, namedId, input.replay_from ?? cursor);
  return {
    credential,
    name,
    peer: { credential: peer.credential, name: named.name },
    resumed: false,
    cursor: input.replay_from ?? cursor,
  };
}
