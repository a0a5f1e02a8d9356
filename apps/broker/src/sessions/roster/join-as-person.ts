import { randomUUID } from "node:crypto";
import {
  findPerson,
  findSession,
  findTeamOfPerson,
  insertPeer,
  insertTeam,
  lockPerson,
  placeCursor,
  setLeft,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { isVerified, type PersonActor } from "../../identity/credential.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../access/authorize.js";
import type { TeamActor } from "../access/credentials.js";
import type { PersonContext, SessionServices } from "../context.js";
import { announceJoined } from "./announce-roster.js";
import { takeName } from "./names.js";

/** A person who is about to become a team of a session, by a write. */
export interface Joining {
  /** The team that the person is from that write on; until then only its ids and its name are drawn. */
  readonly team: TeamActor;
  /** Whether that write is committed. */
  readonly joined: boolean;
  /**
   * Makes the team in the transaction of the write, before anything else, so that neither is there without the other.
   *
   * @throws JoinedOtherwise
   */
  join(write: Write): Promise<void>;
}

/** Somebody else was faster: the person is a team there already, or its name is taken. To be tried again. */
export class JoinedOtherwise extends Error {
  override readonly name = "JoinedOtherwise";
}

/** Prepares a person's joining by a write, without being asked to join: what it needs is looked up, and nothing is written. */
export async function prepareJoining(who: {
  readonly services: SessionServices;
  readonly session: SessionIdentity;
  readonly person: PersonActor;
  /** The team that the person was there and has left. */
  readonly left: TeamActor | null;
}): Promise<Joining> {
  const { services, session, person, left } = who;
  const { database, credentials, presence } = services;
  const { sessionId } = session;
  const team = left ? { ...left, leftAt: null } : await drawTeam(who);
  let joined = false;
  return {
    team,
    get joined() {
      return joined;
    },
    async join(write) {
      const found = await findSession(write.tx, database.meshId, sessionId);
      if (!found) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
      const { teamId, peer } = team;
      if (!left) peer.documentVersion = found.documentVersion;
      const ids = { teamId, peerId: peer.peerId };
      const { peerId, name } = await enterSession(who, write, found.documentVersion, ids);
      if (peerId !== peer.peerId || name !== team.name) {
        credentials.forget(sessionId, person.personId);
        throw new JoinedOtherwise();
      }
      write.afterCommit(() => {
        joined = true;
        presence.touch(peer);
      });
    },
  };
}

async function drawTeam({
  services: { database, presence },
  session: { sessionId },
  person,
}: Parameters<typeof prepareJoining>[0]): Promise<TeamActor> {
  const { personId, memberId, credential, verified } = person;
  const kind: TeamActor["kind"] = verified ? "human" : "guest";
  const name = await takeName(database.orm, sessionId, person.name, async () => true);
  const teamId = randomUUID();
  const facts = { sessionId, teamId, name, kind, personId, memberId, leftAt: null };
  // One that is never made is soon forgotten, like any peer that is gone.
  const peer = presence.load({
    ...facts,
    secretHash: null,
    joinedAt: new Date(),
    peer: {
      peerId: randomUUID(),
      name: null,
      acked: 0,
      offered: 0,
      returned: 0,
      repeated: 0,
      resync: false,
      documentVersion: 0,
      idlePolls: 0,
      lastSeenAt: null,
      lastPolledAt: null,
      secretHash: null,
      leftAt: null,
    },
  });
  return { ...facts, peer, credential };
}

interface Entered {
  readonly peerId: string;
  readonly name: string;
  /** Whether the person had this team before. */
  readonly resumed: boolean;
  /** Where its reading starts: its joining, or what it has acknowledged. */
  readonly cursor: number;
}

interface Who {
  readonly services: SessionServices;
  readonly session: SessionIdentity;
  readonly person: PersonActor;
}

/** The ids that a new team and its peer get. */
interface NewIds {
  readonly teamId: string;
  readonly peerId: string;
}

/**
 * Makes a person a team of kind `human` in a session, or brings that team back if it has left, and tells the others; a
 * team that is there stays as it is. However many ask at once, a person has one team in a session (PERSON-4).
 */
export async function enterSession(
  who: Who,
  write: Write,
  documentVersion: number,
  ids: NewIds = { teamId: randomUUID(), peerId: randomUUID() },
): Promise<Entered> {
  const { services, session, person } = who;
  // Whoever asks at the same moment, at any node, waits here and then finds the team.
  await lockPerson(write.tx, services.database.meshId, person.personId);
  const team = await findTeamOfPerson(write.tx, session.sessionId, person.personId);
  write.afterCommit(() => services.credentials.forget(session.sessionId, person.personId));
  if (!team) return addTeam(who, write, documentVersion, ids);

  const { peerId, acked } = team.peer;
  if (team.leftAt && (await setLeft(write.tx, session.sessionId, team.teamId, null))) {
    await announceJoined(who, write, { teamId: team.teamId, name: team.name, peerId, at: new Date() });
  }
  const cursor = Math.max(acked, services.presence.find(peerId)?.acked ?? 0);
  return { peerId, name: team.name, resumed: true, cursor };
}

async function addTeam(
  who: Who,
  write: Write,
  documentVersion: number,
  { teamId, peerId }: NewIds,
): Promise<Entered> {
  const { sessionId } = who.session;
  const { personId, memberId } = who.person;
  const row = await findPerson(write.tx, who.services.database.meshId, personId);
  const verified = row !== null && isVerified(row);
  const joinedAt = new Date();
  const name = await takeName(write.tx, sessionId, who.person.name, (free) =>
    insertTeam(write.tx, {
      sessionId,
      teamId,
      name: free,
      provedBy: { personId, verified },
      memberId,
      joinedAt,
    }),
  );
  await insertPeer(write.tx, { sessionId, teamId, peerId, cursor: 0, documentVersion });
  const cursor = await announceJoined(who, write, { teamId, name, peerId, at: joinedAt });
  await placeCursor(write.tx, sessionId, peerId, cursor);
  return { peerId, name, resumed: false, cursor };
}

/**
 * The team that a person is in a session which the call does not address, and the call's write: who is in it not yet, or has
 * left, joins it in that, as in any other write (PERSON-3).
 *
 * @throws session_closed to who was not in it when it was concluded
 */
export async function teamOfPerson(
  { services, person, write }: Pick<PersonContext<SessionServices>, "services" | "person" | "write">,
  session: SessionIdentity,
): Promise<{ readonly team: TeamActor } & Pick<PersonContext<SessionServices>, "write">> {
  const caller = await services.credentials.verify(session.sessionId, person.credential);
  if (caller?.team && !caller.team.leftAt) return { team: caller.team, write };
  if (session.closed) throw sessionClosed(session);
  const { team, join } = await prepareJoining({ services, session, person, left: caller?.team ?? null });
  return {
    team,
    write: (work) =>
      write(async (begun) => {
        await join(begun);
        return work(begun);
      }),
  };
}
