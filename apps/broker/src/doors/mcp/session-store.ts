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
    save: (id, initialize) => insertMcpSession(database.orm, toKey(database, id), initialize),
    find: (id) => touchMcpSession(database.orm, toKey(database, id)),
    remove: (id) => deleteMcpSession(database.orm, toKey(database, id)),
  };
}

/** The id is a secret, so that only its hash is stored (MCP-9). */
export function toKey({ meshId }: Pick<Database, "meshId">, id: string): McpSessionKey {
  return { meshId, idHash: createHash("sha256").update(id).digest() };
}
