import { randomUUID } from "node:crypto";
import { insertPeer, insertTeam, lockSession, lockTeam, placeCursor, setLeft } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { makeCredential } from "../../identity/credential.js";
import { findOwnerId } from "../../identity/principal.js";
import type { TeamActor } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";
import { announceJoined, announceRoster } from "./announce-roster.js";
import { refuseImpersonation, refuseTakenName, takeName } from "./names.js";
import { toPeerFacts } from "./peer-facts.js";

/** The result of joining a session, with the credentials that the caller must use from now on. */
export interface JoinResult {
  /** The credential of the new team, or the credential that the caller sent. */
  readonly credential: string;
  readonly name: string;
  /** The named peer that the caller joined as, or null. */
  readonly peer: { readonly credential: string; readonly name: string } | null;
  readonly resumed: boolean;
  readonly cursor: number;
}

/** The current state of the session to join. */
export interface JoinTarget {
  readonly lastSequence: number;
  readonly documentVersion: number;
}

/** Adds a team. If the input names a peer, also adds that peer, which then reads the team's messages. */
export async function addTeam(
  ctx: SessionContext<SessionServices>,
  write: Write,
  input: ParsedInputOf<"join_session">,
  { documentVersion }: JoinTarget,
): Promise<JoinResult> {
  const { team_name, peer_name } = input;
  refuseImpersonation({ team_name, peer_name });
  const { sessionId } = ctx.session;
  const { tx } = write;
  const [teamId, unnamedId, namedId] = [randomUUID(), randomUUID(), randomUUID()];
  const joinedAt = new Date();
  const { credential, secretHash } = makeCredential(teamId);
  const memberId = findOwnerId(ctx.principal);
  const name = await takeName(tx, sessionId, team_name, (free) =>
    insertTeam(tx, { sessionId, teamId, name: free, provedBy: { secretHash }, memberId, joinedAt }),
  );

  // The event must be written last, so the peers are inserted before it. Their cursors are set once the
  // sequence of the event is known.
  const start = { sessionId, teamId, cursor: 0, documentVersion };
  const facts = toPeerFacts(input);
  if (input.peer_name === undefined) {
    await insertPeer(tx, { ...start, peerId: unnamedId, facts });
    const cursor = await announceJoined(ctx, write, { teamId, name, peerId: unnamedId, at: joinedAt });
    await placeCursor(tx, sessionId, unnamedId, input.replay_from ?? cursor);
    return { credential, name, peer: null, resumed: false, cursor: input.replay_from ?? cursor };
  }

  await lockSession(tx, sessionId);
  await refuseTakenName(tx, { sessionId, teamId, peerId: namedId }, input.peer_name);
  const peer = makeCredential(namedId);
  const named = { name: input.peer_name, secretHash: peer.secretHash };
  await insertPeer(tx, { ...start, peerId: unnamedId });
  await insertPeer(tx, { ...start, peerId: namedId, named, facts });
  const cursor = await announceJoined(ctx, write, { teamId, name, peerId: namedId, at: joinedAt });
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

/**
 * Adds a named peer to a team. The peer starts reading at the end of the feed. Posts no event, unless the
 * team had left.
 */
export async function addPeer(
  ctx: SessionContext<SessionServices>,
  team: TeamActor,
  write: Write,
  input: ParsedInputOf<"join_session"> & { readonly peer_name: string },
  { lastSequence, documentVersion }: JoinTarget,
): Promise<JoinResult> {
  refuseImpersonation({ peer_name: input.peer_name });
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
    const joined = await announceJoined(ctx, write, { teamId, name: team.name, peerId, at: new Date() });
    cursor = input.replay_from ?? joined;
    await placeCursor(tx, sessionId, peerId, cursor);
  }
  write.afterCommit(() => {
    services.credentials.invalidate(sessionId, teamId);
    announceRoster(services, sessionId);
  });
  const peer = { credential, name: named.name };
  return { credential: team.credential, name: team.name, peer, resumed: false, cursor };
}
