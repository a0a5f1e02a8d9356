import { findSession, type StoredMessage } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { PersonCaller, TeamCaller } from "../access/credentials.js";
import type { Services } from "../context.js";
import type { SessionIdentity } from "../sessions/directory.js";
import { type RequestIdentity, writeOnce } from "../writes/write.js";
import { enterSession } from "./enter-session.js";

/** Makes a person a team of a session without being asked to, for the write that follows, and returns that team. */
export async function joinAsPerson(who: {
  readonly services: Services;
  readonly session: SessionIdentity;
  readonly person: PersonCaller;
}): Promise<TeamCaller> {
  const { services, session, person } = who;
  const { database, channels, credentials, presence } = services;
  const joining: RequestIdentity = {
    operation: "join_session",
    caller: person.personId,
    idempotencyKey: undefined,
    input: { session_id: session.sessionId },
  };
  const onAnnounced = (message: StoredMessage) => channels.deliver(message.sessionId, [message]);
  await writeOnce({ database, onAnnounced }, joining, async (write) => {
    const found = await findSession(write.tx, database.meshId, session.sessionId);
    if (!found) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
    return enterSession(who, write, found.documentVersion);
  });
  const caller = await credentials.verify(session.sessionId, person.credential);
  if (!caller?.team) throw new TypeError("A person who has just joined has no team.");
  presence.touch(caller.team.peer);
  return caller.team;
}
