import { updatePeerFacts } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { PersonCaller } from "../../identity/credential.js";
import type { SessionContext, SessionServices } from "../context.js";
import { announceRoster } from "./announce-roster.js";
import { enterSession } from "./enter-session.js";
import type { Joined, JoinedSession } from "./join-session.js";
import { toPeerFacts } from "./peer-facts.js";
import { startAgainFrom } from "./start-again-from.js";

/** A person has one name and one team here, whatever `team_name` says (PERSON-5). */
export async function enterAsPerson(
  ctx: SessionContext<SessionServices>,
  person: PersonCaller,
  write: Write,
  input: ParsedInputOf<"join_session">,
  { documentVersion }: JoinedSession,
): Promise<Joined> {
  const { services, session } = ctx;
  const { peerId, name, resumed, cursor } = await enterSession(
    { services, session, person },
    write,
    documentVersion,
  );
  await updatePeerFacts(write.tx, session.sessionId, peerId, toPeerFacts(input));
  write.afterCommit(() => announceRoster(services, session.sessionId));
  if (input.replay_from !== undefined) await startAgainFrom(ctx, write, peerId, input.replay_from);
  return { credential: person.credential, name, peer: null, resumed, cursor: input.replay_from ?? cursor };
}
