import { MerkleError, type Operation } from "@merkle/wire";
import type { SessionIdentity } from "../sessions/directory.js";
import type { TeamCaller } from "./credentials.js";

/** What somebody wants to do, and as whom. */
export interface AccessRequest {
  readonly operation: Pick<Operation, "name" | "access" | "afterClosing">;
  readonly session: SessionIdentity | null;
  /** The team that the credential proved, if it proved one. */
  readonly team: TeamCaller | null;
  /** Whether the caller gave a credential at all. */
  readonly credentialGiven: boolean;
}

/**
 * The one place that allows or refuses, for every door (AUTH-11). The broker is in open mode: who reaches it may create,
 * join and read; what is done in a team's name needs that team's credential.
 *
 * @throws unauthorized before session_closed, as ERR-2 orders them
 */
export function authorize({ operation, session, team, credentialGiven }: AccessRequest): void {
  if (credentialGiven && !team)
    throw unauthorized("This team_id is not the credential of a team in this session");
  if (operation.access === "team" && !team)
    throw unauthorized(`${operation.name} needs your team's credential`);
  if (team?.leftAt && !mayComeAfterLeaving(operation)) {
    throw unauthorized(`The team "${team.name}" has left this session`);
  }
  if (session?.closed && operation.afterClosing === "refused") throw sessionClosed(session);
}

// Leaving can be repeated with its key (IDEM-9), and who left may come back.
function mayComeAfterLeaving(operation: Pick<Operation, "name">): boolean {
  return operation.name === "leave_session" || operation.name === "join_session";
}

export function unauthorized(what: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${what}. Pass as team_id (or in the header X-Team-ID) what create_session or join_session returned: a uuid, ".mk_" and a secret.`,
  );
}

export function sessionClosed(session: Pick<SessionIdentity, "slug">): MerkleError {
  return new MerkleError(
    "session_closed",
    `The session "${session.slug}" is concluded: its feed and document can be read, not written. Start a new session to go on.`,
    { session: session.slug },
  );
}
