import { MerkleError } from "@merkle/wire";

export function notByModels(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `${operation} is for humans alone, and whoever asks over MCP is a model. Ask your human to do it in the dashboard, or with merkle in a shell of their own.`,
  );
}

/** A program has no power, whatever its member has (PERSON-11). */
export function notByPrograms(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `${operation} takes a member in person, and this is a token for programs, or somebody whom one let in. Do it in the dashboard, or with merkle where you have joined with a key of your own (merkle join -).`,
    { needs: "person" },
  );
}

export function unauthorized(what: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${what}. Pass as team_id (or in the header X-Team-ID) what create_session or join_session returned: a uuid, ".mk_" and a secret.`,
  );
}
