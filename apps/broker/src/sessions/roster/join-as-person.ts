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

/** A person who is about to become a team in a session by writing to it. */
export interface PreparedJoin {
  /** The team that the person becomes. Before the write, only its ids and its name are known. */
  readonly team: TeamActor;
  /** Whether the write was committed. */
  readonly hasJoined: boolean;
  /**
   * Creates the team at the start of the write's transaction, so that the team and the write are stored
   * together or not at all.
   *
   * @throws JoinedOtherwise
   */
  join(write: Write): Promise<void>;
}

/**
 * Thrown if another request was faster: the person already has a team in the session, or the name is taken. The
 * call can be retried.
 */
export class JoinedOtherwise extends Error {
  override readonly name = "JoinedOtherwise";
}

/** Prepares a person to join a session with a write instead of a join call. Only reads from the database. */
export async function prepareJoin(who: {
  readonly services: SessionServices;
  readonly session: SessionIdentity;
  readonly person: PersonActor;
  /** The team that the person had in the session before leaving, or null. */
  readonly left: TeamActor | null;
}): Promise<PreparedJoin> {
  const { services, session, person, left } = who;
  const { database, credentials, presence } = services;
  const { sessionId } = session;
  const team = left ? { ...left, leftAt: null } : await prepareTeam(who);
  let hasJoined = false;
  return {
    team,
    get hasJoined() {
      return hasJoined;
    },
    async join(write) {
      const row = await findSession(write.tx, database.meshId, sessionId);
      if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
      const { teamId, peer } = team;
      if (!left) peer.documentVersion = row.documentVersion;
      const ids = { teamId, peerId: peer.peerId };
      const { peerId, name, resumed, cursor } = await enterSession(who, write, row.documentVersion, ids);
      if (peerId !== peer.peerId || name !== team.name) {
        credentials.invalidate(sessionId, person.personId);
        throw new JoinedOtherwise();
      }
      write.afterCommit(() => {
        hasJoined = true;
        // The peer was in memory before it had a row.
        if (!resumed) void presence.advance(peer, { type: "placed", cursor });
        presence.touch(peer);
      });
    },
  };
}

async function prepareTeam({
  services: { database, presence },
  session: { sessionId },
  person,
}: Parameters<typeof prepareJoin>[0]): Promise<TeamActor> {
  const { personId, memberId, credential, verified } = person;
  const kind: TeamActor["kind"] = verified ? "human" : "guest";
  const name = await takeName(database.orm, sessionId, person.name, async () => true);
  const teamId = randomUUID();
  const facts = { sessionId, teamId, name, kind, personId, memberId, leftAt: null };
  // If the team is never created, presence soon drops its peer like any absent peer.
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

interface SessionEntry {
  readonly peerId: string;
  readonly name: string;
  /** Whether the person has rejoined with an earlier team. */
  readonly resumed: boolean;
  /** The sequence after which the person starts reading: the join event, or the acknowledged cursor. */
  readonly cursor: number;
}

interface JoiningPerson {
  readonly services: SessionServices;
  readonly session: SessionIdentity;
  readonly person: PersonActor;
}

/** The ids for a new team and its peer. */
interface NewIds {
  readonly teamId: string;
  readonly peerId: string;
}

/**
 * Makes a person a team of kind `human` in a session, or restores the person's team if it has left, and
 * announces the team. A team that is still in the session is not changed. Concurrent calls create only one team
 * for a person in a session (PERSON-4).
 */
export async function enterSession(
  who: JoiningPerson,
  write: Write,
  documentVersion: number,
  ids: NewIds = { teamId: randomUUID(), peerId: randomUUID() },
): Promise<SessionEntry> {
  const { services, session, person } = who;
  // Concurrent calls on any node wait here for the lock, and then find the team that the first call created.
  await lockPerson(write.tx, services.database.meshId, person.personId);
  const team = await findTeamOfPerson(write.tx, session.sessionId, person.personId);
  write.afterCommit(() => services.credentials.invalidate(session.sessionId, person.personId));
  if (!team) return addTeam(who, write, documentVersion, ids);

  const { peerId, acked } = team.peer;
  if (team.leftAt && (await setLeft(write.tx, session.sessionId, team.teamId, null))) {
    await announceJoined(who, write, { teamId: team.teamId, name: team.name, peerId, at: new Date() });
  }
  const cursor = Math.max(acked, services.presence.find(peerId)?.cursors.acked ?? 0);
  return { peerId, name: team.name, resumed: true, cursor };
}

async function addTeam(
  who: JoiningPerson,
  write: Write,
  documentVersion: number,
  { teamId, peerId }: NewIds,
): Promise<SessionEntry> {
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
 * Returns a person's team in a session that the call itself does not address, and the function with which the
 * call must write. If the person has not joined or has left, the write first joins the session, like any
 * other write (PERSON-3).
 *
 * @throws session_closed if the session was concluded before the person joined
 */
export async function prepareTeamWrite(
  { services, person, write }: Pick<PersonContext<SessionServices>, "services" | "person" | "write">,
  session: SessionIdentity,
): Promise<{ readonly team: TeamActor } & Pick<PersonContext<SessionServices>, "write">> {
  const caller = await services.credentials.verify(session.sessionId, person.credential);
  if (caller?.team && !caller.team.leftAt) return { team: caller.team, write };
  if (session.isClosed) throw sessionClosed(session);
  const { team, join } = await prepareJoin({ services, session, person, left: caller?.team ?? null });
  return {
    team,
    write: (work) =>
      write(async (begun) => {
        await join(begun);
        return work(begun);
      }),
  };
}
