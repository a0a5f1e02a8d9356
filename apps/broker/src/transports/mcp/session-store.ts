import {
  addCancelled,
  type Database,
  deleteMcpSession,
  insertMcpSession,
  listCancelled,
  type McpSessionKey,
  touchMcpSession,
} from "@merkle/db";
import { sha256 } from "../../core/sha256.js";
import { findTokenNumber, type Principal } from "../../identity/principal.js";

/** Stores MCP sessions so that they outlive the process, and clients do not notice a restart (MCP-4). */
export interface McpSessionStore {
  /** Stores the request that opened the session. */
  save(id: string, initialize: unknown): Promise<void>;
  /**
   * Returns the request that opened the session, and records that the session is in use. Null if the session
   * does not exist.
   */
  find(id: string): Promise<{ initialize: unknown } | null>;
  remove(id: string): Promise<void>;
  /** Records the cancellation of a request that another node is answering. */
  noteCancelled(id: string, request: string | number): Promise<void>;
  /** Returns the requests that were cancelled within `cancelledSeconds`, or null if the session has ended. */
  listCancelled(id: string): Promise<readonly (string | number)[] | null>;
}

const cancelledSeconds = 10;

export function createMcpSessionStore(database: Pick<Database, "orm" | "meshId">): McpSessionStore {
  return {
    save: (id, initialize) => insertMcpSession(database.orm, toKey(database, id), toStored(initialize)),
    find: (id) => touchMcpSession(database.orm, toKey(database, id)),
    remove: (id) => deleteMcpSession(database.orm, toKey(database, id)),
    noteCancelled: (id, request) => addCancelled(database.orm, toKey(database, id), request),
    listCancelled: (id) => listCancelled(database.orm, toKey(database, id), cancelledSeconds),
  };
}

/**
 * Reduces an `initialize` request to its protocol version. The client's name and capabilities need not be
 * stored, because the broker sends the client no requests (MCP-13).
 */
function toStored(initialize: unknown): unknown {
  const protocolVersion = String(Object(Object(initialize).params).protocolVersion).slice(0, 50);
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "", version: "" } };
  return { jsonrpc: "2.0", id: 0, method: "initialize", params };
}

/**
 * Returns a session's key in the database. The session's id is a secret, so only its hash is stored (MCP-9).
 */
export function toKey({ meshId }: Pick<Database, "meshId">, id: string): McpSessionKey {
  return { meshId, idHash: sha256(id) };
}

/** Returns the hash with which nodes identify a session to each other. */
export function hashSessionId(id: string): string {
  return sha256(id, "base64url");
}

/**
 * Returns the key of an MCP session: the id that its client has, combined with the principal that opened the
 * session. Anyone else who has the id cannot use the session (MCP-9). In open mode the id alone is the key.
 */
export function toSessionKey(id: string, opener: Principal | null): string {
  const owner = toOwner(opener);
  return owner === null ? id : `${id} ${owner}`;
}

/** Returns the session id that the client has, which is the key without the owner part. */
export function toSessionId(key: string): string {
  return key.split(" ", 1)[0] ?? "";
}

/**
 * Returns the owner part of a session key. A member is the same owner regardless of the token used.
 * Observers, jobs' agents and OAuth clients are identified only by their token or job.
 */
function toOwner(opener: Principal | null): string | null {
  switch (opener?.kind) {
    case "member":
      return opener.memberId;
    case "observer":
    case "client":
      return `${opener.meshId} ${findTokenNumber(opener)}`;
    case "job":
      return `${opener.meshId} job ${opener.job}`;
    default:
      return null;
  }
}
