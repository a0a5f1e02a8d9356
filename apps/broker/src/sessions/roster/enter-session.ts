import { randomUUID } from "node:crypto";
import {
  findPerson,
  findTeamOfPerson,
  insertPeer,
  insertTeam,
  lockPerson,
  placeCursor,
  setLeft,
} from "@merkle/db";
import type { Write } from "../../core/write.js";
import { isVerified, type PersonCaller } from "../../identity/credential.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";
import { announceJoined } from "./announce-joined.js";
import { takeName } from "./take-name.js";

export interface Entered {
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
  readonly person: PersonCaller;
}

/** What a team that is made gets. */
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
    await announceJoined(who, write, { name: team.name, peerId, at: new Date() });
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
  const cursor = await announceJoined(who, write, { name, peerId, at: joinedAt });
  await placeCursor(write.tx, sessionId, peerId, cursor);
  return { peerId, name, resumed: false, cursor };
}
