import { createHash } from "node:crypto";
import {
  type Database,
  deleteMcpSession,
  insertMcpSession,
  type McpSessionKey,
  touchMcpSession,
} from "@merkle/db";

/** What outlives the process of an MCP session, so that its client never sees a restart (MCP-4). */
export interface McpSessionStore {
  /** Keeps what the session was opened with. */
  save(id: string, initialize: unknown): Promise<void>;
  /** Gives that back, and notes that the session is in use; null when there is no such session. */
  find(id: string): Promise<{ initialize: unknown } | null>;
  remove(id: string): Promise<void>;
}

export function createMcpSessionStore(database: Pick<Database, "orm" | "meshId">): McpSessionStore {
  return {
    save: (id, initialize) => insertMcpSession(database.orm, toKey(database, id), toStored(initialize)),
    find: (id) => touchMcpSession(database.orm, toKey(database, id)),
    remove: (id) => deleteMcpSession(database.orm, toKey(database, id)),
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
