import { performance } from "node:perf_hooks";
import { limits } from "@merkle/wire/limits";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Bus } from "../../core/bus/bus.js";
import type { LiveMcpSession } from "./mcp-session.js";
import { hashSessionId, type McpSessionStore } from "./session-store.js";

/**
 * The MCP sessions in this process's memory. Any other session is restored from the store when its client
 * sends a request.
 */
export interface LiveSessions {
  add(id: string, session: LiveMcpSession): void;
  /**
   * Returns a session, restored from the store if needed. Null if the session does not exist or has
   * ended.
   */
  find(id: string): Promise<LiveMcpSession | null>;
  end(id: string): Promise<void>;
  /** Asks the other nodes to cancel a request that is not being answered on this node. */
  cancelElsewhere(id: string, request: RequestId): Promise<void>;
  endStreams(): void;
  closeAll(): Promise<void>;
}

export interface LiveSessionsOptions {
  readonly store: McpSessionStore;
  readonly open: (id: string) => Promise<LiveMcpSession>;
  readonly liveMax?: number;
  /** How often the store is updated and checked while a session is in use (default: hourly). */
  readonly confirmMs?: number | undefined;
  /** Notifies other nodes. Omitted if there can be no other node. */
  readonly others?: Others | undefined;
}

/** Notifies other nodes that a session has ended or a request was cancelled. */
export interface Others {
  readonly bus: Pick<Bus, "publish" | "on">;
  settle(): Promise<void>;
}

const idleMs = 10 * 60_000;
/**
 * Maximum length of a request id in a hint. A request with a longer id can be cancelled only on the node
 * that answers it.
 */
const requestIdCharsMax = 200;
const confirmMsDefault = 60 * 60_000;

interface LiveSession {
  readonly session: LiveMcpSession;
  usedAt: number;
  confirmedAt: number;
  /** Hash of the session's id, computed when the first hint about a session arrives from another node. */
  hash?: string;
}

export function createLiveSessions(options: LiveSessionsOptions): LiveSessions {
  const { store, open, others } = options;
  const { liveMax = limits.liveMcpSessionsMax, confirmMs = confirmMsDefault } = options;
  /** Live sessions by id. The least recently used comes first. */
  const live = new Map<string, LiveSession>();
  const reviving = new Map<string, Promise<LiveMcpSession | null>>();

  function keep(id: string, session: LiveMcpSession): void {
    const now = performance.now();
    makeRoom(now);
    live.set(id, { session, usedAt: now, confirmedAt: now });
  }

  function makeRoom(now: number): void {
    for (const [id, { session, usedAt }] of live) {
      if (now - usedAt < idleMs && live.size < liveMax) return;
      if (!session.isBusy) drop(id, session);
    }
    // If all sessions are busy, the least recently used sessions are dropped anyway.
    for (const [id, { session }] of live) {
      if (live.size < liveMax) return;
      drop(id, session);
    }
  }

  /** Drops a session from memory. Its client can restore the session with its next request. */
  function drop(id: string, session: LiveMcpSession): void {
    live.delete(id);
    void session.close();
  }

  async function revive(id: string): Promise<LiveMcpSession | null> {
    const storedSession = await store.find(id);
    if (!storedSession) return null;
    const session = await open(id);
    if (await session.replay(storedSession.initialize)) {
      keep(id, session);
      return session;
    }
    await session.close();
    return null;
  }

  function reviveOnce(id: string): Promise<LiveMcpSession | null> {
    const running = reviving.get(id) ?? revive(id).finally(() => reviving.delete(id));
    reviving.set(id, running);
    return running;
  }

  async function confirmExists(id: string, entry: LiveSession, now: number): Promise<boolean> {
    if (now - entry.confirmedAt < confirmMs) return true;
    entry.confirmedAt = now;
    if (await store.find(id)) return true;
    drop(id, entry.session);
    return false;
  }

  function findByHash(hash: string): [string, LiveMcpSession] | undefined {
    for (const [id, entry] of live) {
      entry.hash ??= hashSessionId(id);
      if (entry.hash === hash) return [id, entry.session];
    }
    return undefined;
  }

  others?.bus.on("mcp", async ({ session: hash }) => {
    const [id, session] = findByHash(hash) ?? [];
    if (id === undefined || !session) return;
    const cancelled = await store.listCancelled(id);
    if (cancelled === null) return drop(id, session);
    for (const request of cancelled) await session.cancel(request);
  });

  async function cancelElsewhere(id: string, request: RequestId): Promise<void> {
    if (!others || JSON.stringify(request).length > requestIdCharsMax) return;
    await store.noteCancelled(id, request);
    others.bus.publish("mcp", { session: hashSessionId(id) });
  }

  return {
    add: keep,
    async find(id) {
      const now = performance.now();
      const entry = live.get(id);
      if (!entry) return reviveOnce(id);
      live.delete(id);
      makeRoom(now);
      live.set(id, entry);
      entry.usedAt = now;
      return (await confirmExists(id, entry, now)) ? entry.session : null;
    },
    async end(id) {
      await store.remove(id);
      const session = live.get(id)?.session;
      live.delete(id);
      await session?.close();
      others?.bus.publish("mcp", { session: hashSessionId(id) });
      await others?.settle();
    },
    cancelElsewhere,
    endStreams() {
      for (const { session } of live.values()) session.endStream();
    },
    async closeAll() {
      await Promise.allSettled(reviving.values());
      await Promise.all([...live.values()].map(({ session }) => session.close()));
      live.clear();
    },
  };
}
