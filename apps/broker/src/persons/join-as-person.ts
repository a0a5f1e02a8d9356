import { findSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { PersonCaller, TeamCaller } from "../access/credentials.js";
import type { Services } from "../context.js";
import type { SessionIdentity } from "../sessions/directory.js";
import type { Write } from "../writes/write.js";
import { type Entered, enterSession } from "./enter-session.js";

type DoWrite = (work: (write: Write) => Promise<Entered>) => Promise<Entered>;

/** Makes a person a team of a session without being asked to, for the write that follows, and returns that team. */
export async function joinAsPerson(
  who: {
    readonly services: Services;
    readonly session: SessionIdentity;
    readonly person: PersonCaller;
  },
  doWrite: DoWrite,
): Promise<TeamCaller> {
  const { services, session, person } = who;
  const { database, credentials, presence } = services;
  await doWrite(async (write) => {
    const found = await findSession(write.tx, database.meshId, session.sessionId);
    if (!found) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
    return enterSession(who, write, found.documentVersion);
  });
  const caller = await credentials.verify(session.sessionId, person.credential);
  if (!caller?.team) throw new TypeError("A person who has just joined has no team.");
  presence.touch(caller.team.peer);
  return caller.team;
}
