import { createHash } from "node:crypto";
import {
  type Database,
  deleteMcpSession,
  insertMcpSession,
  listCancelled,
  type McpSessionKey,
  noteCancelled,
  touchMcpSession,
} from "@merkle/db";
import { type Principal, tokenOf } from "../../identity/principal.js";

/** Keeps MCP sessions beyond the life of the process, so that their clients never see a restart (MCP-4). */
export interface McpSessionStore {
  /** Keeps what the session was opened with. */
  save(id: string, initialize: unknown): Promise<void>;
  /** Gives that back, and notes that the session is in use; null when there is no such session. */
  find(id: string): Promise<{ initialize: unknown } | null>;
  remove(id: string): Promise<void>;
  /** Notes a cancelled request that another node answers. */
  noteCancelled(id: string, request: string | number): Promise<void>;
  /** The requests that were cancelled in the last seconds; null if the session has ended. */
  listCancelled(id: string): Promise<readonly (string | number)[] | null>;
}

const cancelledSeconds = 10;

export function createMcpSessionStore(database: Pick<Database, "orm" | "meshId">): McpSessionStore {
  return {
    save: (id, initialize) => insertMcpSession(database.orm, toKey(database, id), toStored(initialize)),
    find: (id) => touchMcpSession(database.orm, toKey(database, id)),
    remove: (id) => deleteMcpSession(database.orm, toKey(database, id)),
    noteCancelled: (id, request) => noteCancelled(database.orm, toKey(database, id), request),
    listCancelled: (id) => listCancelled(database.orm, toKey(database, id), cancelledSeconds),
  };
}

/**
 * Keeps of what a client said the version of the protocol alone: the broker asks nothing of it, so that neither its name nor
 * what it can do needs to be repeated (MCP-13).
 */
function toStored(initialize: unknown): unknown {
  const protocolVersion = String(Object(Object(initialize).params).protocolVersion).slice(0, 50);
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "", version: "" } };
  return { jsonrpc: "2.0", id: 0, method: "initialize", params };
}

/** The id is a secret, so that only its hash is stored (MCP-9). */
export function toKey({ meshId }: Pick<Database, "meshId">, id: string): McpSessionKey {
  return { meshId, idHash: createHash("sha256").update(id).digest() };
}

/** By which nodes name a session to each other. */
export function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

/**
 * By which an MCP session is kept and found: the id that its client holds, and who opened it. So the id is worth nothing in
 * other hands, whatever is asked with it (MCP-9). Where everybody is let in it is whoever holds the id.
 */
export function toSessionKey(id: string, opener: Principal | null): string {
  const owner = toOwner(opener);
  return owner === null ? id : `${id} ${owner}`;
}

/** The id as its client knows it. */
export function idOfKey(key: string): string {
  return key.split(" ", 1)[0] ?? "";
}

/** A member is the same one by whichever token it comes; who only looks on, works on a job, or is a member's client has nothing but its token. */
function toOwner(opener: Principal | null): string | null {
  switch (opener?.kind) {
    case "member":
      return opener.memberId;
    case "observer":
    case "client":
      return `${opener.meshId} ${tokenOf(opener)}`;
    case "job":
      return `${opener.meshId} job ${opener.job}`;
    default:
      return null;
  }
}
