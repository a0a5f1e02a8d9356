import { MerkleError } from "@merkle/wire";

export function notByModels(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `${operation} is for humans alone, and whoever asks over MCP is a model. Ask your human to do it in the dashboard, or with merkle in a shell of their own.`,
  );
}

export function unauthorized(what: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${what}. Pass as team_id (or in the header X-Team-ID) what create_session or join_session returned: a uuid, ".mk_" and a secret.`,
  );
}
