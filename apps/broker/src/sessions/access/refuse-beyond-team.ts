import { MerkleError, type Operation } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";

type ClientRules = Pick<Operation, "access" | "human" | "notForModels" | "teamCredential" | "forOnlookers">;

/**
 * Returns whether an OAuth client may call an operation. The client may do what a team does and reads in its session. It has
 * no access to what belongs to a person, a member or the mesh (OAUTH-6).
 */
export function isForClients(operation: ClientRules, isOfSession: boolean): boolean {
  const { access, human, notForModels, teamCredential, forOnlookers } = operation;
  // The token is the client's credential. The client gets no other credential, because it would outlive the token.
  if (human !== undefined || notForModels || teamCredential === "replaced") return false;
  const isTeams = access === "team" || access === "reader" || access === "open";
  return isTeams && (isOfSession || forOnlookers === true);
}

/** @throws forbidden */
export function refuseBeyondTeam(
  operation: ClientRules & Pick<Operation, "name">,
  session: SessionIdentity | null,
): void {
  if (isForClients(operation, session !== null)) return;
  throw new MerkleError(
    "forbidden",
    "OAuth clients cannot do this: a client takes part in one session, as the team that a member chose.",
    { operation: operation.name },
  );
}
