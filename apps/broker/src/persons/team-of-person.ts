import { sessionClosed } from "../access/authorize.js";
import type { TeamCaller } from "../access/credentials.js";
import type { PersonContext } from "../context.js";
import type { SessionIdentity } from "../sessions/directory.js";
import { joinAsPerson } from "./join-as-person.js";

/**
 * The team that a person is in a session which the call does not address; who is in it not yet, or has left, joins it first, as
 * by any other write (PERSON-3).
 *
 * @throws session_closed to who was not in it when it was concluded
 */
export async function teamOfPerson(
  { services, person }: Pick<PersonContext, "services" | "person">,
  session: SessionIdentity,
): Promise<TeamCaller> {
  const caller = await services.credentials.verify(session.sessionId, person.credential);
  if (caller?.team && !caller.team.leftAt) return caller.team;
  if (session.closed) throw sessionClosed(session);
  return joinAsPerson({ services, session, person });
}
