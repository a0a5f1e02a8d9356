import { MerkleError } from "@merkle/wire";

export function notByModels(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only a human can do this, not a model over MCP. Ask your human to do it in the dashboard, or with merkle in their own terminal.",
    { operation },
  );
}

/**
 * Builds the error for a program that calls an operation reserved for people. Programs have no power over
 * others, whatever role their member has (PERSON-11).
 */
export function notByPrograms(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only a member in person can do this, not an API token. Do it in the dashboard, or with merkle on a machine where you joined with your own key (merkle join -).",
    { needs: "person", operation },
  );
}

export function unauthorized(what: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${what}. Pass the credential that you got when you created or joined the session (a uuid, ".mk_" and a secret) as team_id or in the header X-Team-ID.`,
    { next: "join_session" },
  );
}
