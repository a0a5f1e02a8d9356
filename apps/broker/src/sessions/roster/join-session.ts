import { findSession, findTeamOfMember, insertFurtherSecret, lockMember, updatePeerFacts } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Write } from "../../core/write.js";
import { makeCredential, type PersonActor } from "../../identity/credential.js";
import { findOwnerId } from "../../identity/principal.js";
import type { TeamActor } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";
import { addPeer, addTeam, type JoinResult, type JoinTarget } from "./add.js";
import { announceRoster } from "./announce-roster.js";
import { enterSession } from "./join-as-person.js";
import { readRoster } from "./list-peers.js";
import { toPeerFacts } from "./peer-facts.js";
import { refuseSecondSession } from "./refuse-second-session.js";
import { restartReading, resumePeer, resumeTeam } from "./resume.js";

type JoinSessionInput = ParsedInputOf<"join_session">;

/**
 * Adds a team or a peer to a session and announces it, or resumes an existing team or peer (JOIN-1, JOIN-5,
 * PEER-1). A new team's cursor starts at its own join event.
 *
 * @throws conflict, with a free name in its details, if a peer's name is taken
 */
export async function joinSession(
  ctx: SessionContext<SessionServices>,
  input: JoinSessionInput,
): Promise<OutputOf<"join_session">> {
  const { services, session } = ctx;
  const { database } = services;
  if (ctx.person && input.peer_name !== undefined) throw personHasNoPeers();
  if (ctx.principal?.kind === "client" && input.peer_name !== undefined) throw clientHasNoPeers();

  // The call may move the peer's cursor back. The current cursor is saved first, so that a later save does not
  // move it forward again.
  if (ctx.team && input.replay_from !== undefined) await services.presence.save(ctx.team.peer);

  const { joined, row } = await ctx.write(async (write) => {
    const current = await findSession(write.tx, database.meshId, session.sessionId);
    if (!current) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
    if (input.replay_from !== undefined) refuseBeyondEnd(input.replay_from, current.lastSequence);
    const joined = await join(ctx, write, input, current);
    await ctx.storeIssuedCredential(
      write.tx,
      session.sessionId,
      joined.peer?.credential ?? joined.credential,
    );
    const { slug, title, description, documentVersion } = current;
    return { joined, row: { slug, title, description, documentVersion } };
  });

  return {
    session_id: session.sessionId,
    slug: row.slug,
    title: row.title,
    description: row.description,
    team_id: joined.credential,
    team_name: joined.name,
    peer_id: joined.peer?.credential ?? null,
    peer_name: joined.peer?.name ?? null,
    resumed: joined.resumed,
    cursor: joined.cursor,
    document_version: row.documentVersion,
    participants: (await readRoster(services, session)).filter((team) => !team.folded),
  };
}

async function join(
  ctx: SessionContext<SessionServices>,
  write: Write,
  input: JoinSessionInput,
  current: JoinTarget,
): Promise<JoinResult> {
  if (ctx.person) return enterAsPerson(ctx, ctx.person, write, input, current);
  const team = ctx.team ?? (await takeOwnTeam(ctx, write, input.team_name));
  // A team that is already in the session may stay, even if its member also has teams in other sessions.
  if (!team || team.leftAt) await refuseSecondSession(ctx, write, ctx.session.sessionId);
  if (!team) return addTeam(ctx, write, input, current);
  if (team.peer.name !== null) return resumePeer(ctx, team, write, input);
  if (input.peer_name === undefined) return resumeTeam(ctx, team, write, input);
  return addPeer(ctx, team, write, { ...input, peer_name: input.peer_name }, current);
}

function personHasNoPeers(): MerkleError {
  return new MerkleError(
    "bad_request",
    "People join as themselves and have no named peers. Leave out the peer name.",
    { field: "peer_name" },
  );
}

/**
 * Builds the error for an OAuth client that tries to join as a named peer. A peer's credential would outlive
 * the client's token.
 */
function clientHasNoPeers(): MerkleError {
  return new MerkleError(
    "bad_request",
    "An OAuth client takes part as one team, without named peers. Leave out the peer name.",
    { field: "peer_name" },
  );
}

function refuseBeyondEnd(replayFrom: number, lastSequence: number): void {
  if (replayFrom <= lastSequence) return;
  throw new MerkleError(
    "bad_request",
    `Message ${replayFrom} is beyond the end of the feed (${lastSequence}). Replay from 0 to read everything.`,
    { field: "replay_from", last_sequence: lastSequence },
  );
}

/**
 * Joins as a person. A person has one name and one team in the session, regardless of `team_name` (PERSON-5).
 */
async function enterAsPerson(
  ctx: SessionContext<SessionServices>,
  person: PersonActor,
  write: Write,
  input: ParsedInputOf<"join_session">,
  { documentVersion }: JoinTarget,
): Promise<JoinResult> {
  const { services, session } = ctx;
  const { peerId, name, resumed, cursor } = await enterSession(
    { services, session, person },
    write,
    documentVersion,
  );
  await updatePeerFacts(write.tx, session.sessionId, peerId, toPeerFacts(input));
  write.afterCommit(() => announceRoster(services, session.sessionId));
  if (input.replay_from !== undefined) await restartReading(ctx, write, peerId, input.replay_from);
  return { credential: person.credential, name, peer: null, resumed, cursor: input.replay_from ?? cursor };
}

/**
 * Finds the joining member's existing team with this name and adds a credential to it. As a result, a member
 * who has changed machines or lost the Merkle home gets the same team back, instead of a new team "Birch (2)"
 * (MEMBER-3).
 */
async function takeOwnTeam(
  ctx: SessionContext<SessionServices>,
  { tx, afterCommit }: Write,
  name: string,
): Promise<TeamActor | null> {
  const memberId = findOwnerId(ctx.principal);
  if (memberId === null) return null;
  const { services, session } = ctx;
  const { sessionId } = session;
  // Two machines may join at the same time under the same name. The lock ensures that the second finds the team
  // created by the first.
  await lockMember(tx, services.database.meshId, memberId);
  const row = await findTeamOfMember(tx, sessionId, { memberId, name });
  if (!row) return null;
  const { credential, secretHash } = makeCredential(row.teamId);
  await insertFurtherSecret(
    tx,
    { scopeId: sessionId, id: row.teamId },
    { secretHash, max: limits.furtherSecretsMax },
  );
  afterCommit(() => services.credentials.invalidate(sessionId, row.teamId));
  const { teamId, kind, leftAt } = row;
  return { teamId, name: row.name, kind, memberId, leftAt, credential, peer: services.presence.load(row) };
}
