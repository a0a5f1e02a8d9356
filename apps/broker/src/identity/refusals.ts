import { MerkleError } from "@merkle/wire";

export function notByModels(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `${operation} is only for humans, and callers over MCP are models. Ask your human to do it in the dashboard, or with merkle in their own terminal.`,
  );
}

/** A program has no power, whatever its member has (PERSON-11). */
export function notByPrograms(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `${operation} needs a member in person, but this is an API token, or a client that used one. Do it in the dashboard, or with merkle where you joined with your own key (merkle join -).`,
    { needs: "person" },
  );
}

export function unauthorized(what: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${what}. Pass as team_id (or in the header X-Team-ID) what create_session or join_session returned: a uuid, ".mk_" and a secret.`,
  );
}
