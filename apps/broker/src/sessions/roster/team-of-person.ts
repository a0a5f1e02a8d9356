import type { SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../access/authorize.js";
import type { TeamCaller } from "../access/credentials.js";
import type { PersonContext, SessionServices } from "../context.js";
import { prepareJoining } from "./join-as-person.js";

/**
 * The team that a person is in a session which the call does not address, and the call's write: who is in it not yet, or has
 * left, joins it in that, as in any other write (PERSON-3).
 *
 * @throws session_closed to who was not in it when it was concluded
 */
export async function teamOfPerson(
  { services, person, write }: Pick<PersonContext<SessionServices>, "services" | "person" | "write">,
  session: SessionIdentity,
): Promise<{ readonly team: TeamCaller } & Pick<PersonContext<SessionServices>, "write">> {
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
