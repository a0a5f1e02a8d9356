import { randomUUID } from "node:crypto";
import { findSession, insertPeer, insertTeam, placeCursor, setLeft } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { makeCredential, type PersonCaller, type TeamCaller } from "../access/credentials.js";
import type { OutputOf, ParsedInputOf, SessionContext } from "../context.js";
import { enterSession } from "../persons/enter-session.js";
import type { Write } from "../writes/write.js";
import { announceJoined } from "./announce-joined.js";
import { readRoster } from "./participants.js";
import { takeName } from "./take-name.js";

type Input = ParsedInputOf<"join_session">;
type Joined = { credential: string; name: string; resumed: boolean; cursor: number };

/**
 * Adds a team to a session and tells the others, or gives a team that is there its place back (JOIN-1, JOIN-5). A
 * joiner's cursor is its own joining: it reads on from there.
 */
export async function joinSession(ctx: SessionContext, input: Input): Promise<OutputOf<"join_session">> {
  const { services, session } = ctx;
  const { database } = services;

  // What is still to be saved of a peer that starts again further back must not move it forward afterwards.
  if (ctx.team && input.replay_from !== undefined) await services.presence.save(ctx.team.peer);

  const { joined, row } = await ctx.write(async (write) => {
    const found = await findSession(write.tx, database.meshId, session.sessionId);
    if (!found) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
    if (input.replay_from !== undefined) refuseBeyondEnd(input.replay_from, found.lastSequence);
    const joined = await join(ctx, write, input, found.documentVersion);
    const { slug, title, description, documentVersion } = found;
    return { joined, row: { slug, title, description, documentVersion } };
  });

  return {
    session_id: session.sessionId,
    slug: row.slug,
    title: row.title,
    description: row.description,
    team_id: joined.credential,
    team_name: joined.name,
    resumed: joined.resumed,
    cursor: joined.cursor,
    document_version: row.documentVersion,
    participants: (await readRoster(services, session)).filter((team) => !team.folded),
  };
}

function join(ctx: SessionContext, write: Write, input: Input, documentVersion: number): Promise<Joined> {
  if (ctx.person) return enterAsPerson(ctx, ctx.person, write, input, documentVersion);
  if (ctx.team) return resumeTeam(ctx, ctx.team, write, input);
  return addTeam(ctx, write, input, documentVersion);
}

/** A person has one name and one team here, whatever `team_name` says (PERSON-5). */
async function enterAsPerson(
  ctx: SessionContext,
  person: PersonCaller,
  write: Write,
  input: Input,
  documentVersion: number,
): Promise<Joined> {
  const { services, session } = ctx;
  const { peerId, ...entered } = await enterSession({ services, session, person }, write, documentVersion);
  const cursor = input.replay_from ?? entered.cursor;
  if (input.replay_from !== undefined) await startAgainFrom(ctx, write, peerId, cursor);
  return { ...entered, credential: person.credential, cursor };
}

async function addTeam(
  ctx: SessionContext,
  write: Write,
  input: Input,
  documentVersion: number,
): Promise<Joined> {
  const { sessionId } = ctx.session;
  const teamId = randomUUID();
  const peerId = randomUUID();
  const joinedAt = new Date();
  const { credential, secretHash } = makeCredential(teamId);
  const name = await takeName(write.tx, sessionId, input.team_name, (free) =>
    insertTeam(write.tx, { sessionId, teamId, name: free, provedBy: { secretHash }, joinedAt }),
  );
  // The peer is stored before the event, which must come last; its cursor is put behind the event once that has a number.
  await insertPeer(write.tx, { sessionId, teamId, peerId, cursor: 0, documentVersion });
  const cursor = await announceJoined(ctx, write, { name, peerId, at: joinedAt });
  await placeCursor(write.tx, sessionId, peerId, input.replay_from ?? cursor);
  return { credential, name, resumed: false, cursor: input.replay_from ?? cursor };
}

async function resumeTeam(
  ctx: SessionContext,
  team: TeamCaller,
  write: Write,
  input: Input,
): Promise<Joined> {
  const { sessionId } = ctx.session;
  const { peer, name, credential, teamId } = team;
  if (team.leftAt && (await setLeft(write.tx, sessionId, teamId, null))) {
    await announceJoined(ctx, write, { name, peerId: peer.peerId, at: new Date() });
    write.afterCommit(() => ctx.services.credentials.forget(sessionId, credential));
  }
  const cursor = input.replay_from ?? peer.acked;
  if (input.replay_from !== undefined) await startAgainFrom(ctx, write, peer.peerId, cursor);
  return { credential, name, resumed: true, cursor };
}

async function startAgainFrom(
  { services, session }: SessionContext,
  write: Write,
  peerId: string,
  cursor: number,
): Promise<void> {
  await placeCursor(write.tx, session.sessionId, peerId, cursor);
  write.afterCommit(() => {
    const peer = services.presence.find(peerId);
    if (peer) Object.assign(peer, { acked: cursor, ackedOnDisk: cursor, offered: cursor, returned: cursor });
  });
}

function refuseBeyondEnd(replayFrom: number, lastSequence: number): void {
  if (replayFrom <= lastSequence) return;
  throw new MerkleError(
    "bad_request",
    `replay_from is ${replayFrom}, but the feed ends at ${lastSequence}. Use 0 to read all of it.`,
    { field: "replay_from", last_sequence: lastSequence },
  );
}
