import { MerkleError, type Operation } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";

type ClientRules = Pick<Operation, "access" | "human" | "notForModels" | "teamCredential" | "forObservers">;

/**
 * Returns whether an OAuth client may call an operation. The client may do and read what a team can in its
 * session. It has no access to the data of a person, a member or the mesh (OAUTH-6).
 */
export function isForClients(operation: ClientRules, isOfSession: boolean): boolean {
  const { access, human, notForModels, teamCredential, forObservers } = operation;
  // The OAuth client's token is its credential. It must not get another credential, which would outlive the
  // token.
  if (human !== undefined || notForModels || teamCredential === "replaced") return false;
  const isTeamOperation = access === "team" || access === "reader" || access === "open";
  return isTeamOperation && (isOfSession || forObservers === true);
}

/**
 * Refuses an operation that an OAuth client may not call.
 *
 * @throws forbidden
 */
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
