import { MerkleError, type Operation } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";

type ClientRules = Pick<Operation, "access" | "human" | "notForModels" | "teamCredential" | "forOnlookers">;

/**
 * Whether a client that was let in by OAuth may call an operation: what a team does and reads in its session, and nothing
 * that is a person's, a member's or the mesh's (OAUTH-6).
 */
export function isForClients(operation: ClientRules, isOfSession: boolean): boolean {
  const { access, human, notForModels, teamCredential, forOnlookers } = operation;
  // Its token is its credential: it is given no other, which would outlive that.
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
