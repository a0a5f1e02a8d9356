import { randomUUID } from "node:crypto";
import { findSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { PersonCaller } from "../../identity/credential.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { TeamCaller } from "../access/credentials.js";
import type { SessionServices } from "../context.js";
import { enterSession } from "./enter-session.js";
import { takeName } from "./take-name.js";

/** A person who is about to become a team of a session, by a write. */
export interface Joining {
  /** The team that the person is from that write on; until then only its ids and its name are drawn. */
  readonly team: TeamCaller;
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
  readonly person: PersonCaller;
  /** The team that the person was there and has left. */
  readonly left: TeamCaller | null;
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
}: Parameters<typeof prepareJoining>[0]): Promise<TeamCaller> {
  const { personId, memberId, credential, verified } = person;
  const kind: TeamCaller["kind"] = verified ? "human" : "guest";
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
