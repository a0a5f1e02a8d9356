import { performance } from "node:perf_hooks";
import { limits } from "@merkle/wire/limits";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Bus } from "../../core/bus/bus.js";
import type { LiveMcpSession } from "./mcp-session.js";
import { hashOf, type McpSessionStore } from "./session-store.js";

/** The MCP sessions in this process's memory. One that is not here is taken up again from the store when it calls. */
export interface LiveSessions {
  add(id: string, session: LiveMcpSession): void;
  /** The session of that id, revived if need be; null when there is none, or it was ended. */
  find(id: string): Promise<LiveMcpSession | null>;
  end(id: string): Promise<void>;
  /** Has the node that answers a request cancel it: none of those that are answered here is meant. */
  cancelElsewhere(id: string, request: RequestId): Promise<void>;
  endStreams(): void;
  closeAll(): Promise<void>;
}

export interface LiveSessionsOptions {
  readonly store: McpSessionStore;
  readonly open: (id: string) => Promise<LiveMcpSession>;
  readonly liveMax?: number;
  /** How rarely the store is told that a session is in use, and asked whether it still exists; hourly by default. */
  readonly confirmMs?: number | undefined;
  /** The other nodes, where there may be some. */
  readonly others?: Others | undefined;
}

/** By which nodes tell each other that a session was ended, or a request cancelled. */
export interface Others {
  readonly bus: Pick<Bus, "publish" | "on">;
  settle(): Promise<void>;
}

const idleMs = 10 * 60_000;
/** A client whose ids are longer cancels at the node that answers only. */
const requestIdCharsMax = 200;
const confirmUsuallyMs = 60 * 60_000;

interface Entry {
  readonly session: LiveMcpSession;
  usedAt: number;
  confirmedAt: number;
  /** Of its id, made when another node tells of a session. */
  hash?: string;
}

export function createLiveSessions(options: LiveSessionsOptions): LiveSessions {
  const { store, open, others } = options;
  const { liveMax = limits.liveMcpSessionsMax, confirmMs = confirmUsuallyMs } = options;
  /** The longest unused first. */
  const live = new Map<string, Entry>();
  const reviving = new Map<string, Promise<LiveMcpSession | null>>();

  function keep(id: string, session: LiveMcpSession): void {
    const now = performance.now();
    makeRoom(now);
    live.set(id, { session, usedAt: now, confirmedAt: now });
  }

  function makeRoom(now: number): void {
    for (const [id, { session, usedAt }] of live) {
      if (now - usedAt < idleMs && live.size < liveMax) return;
      if (!session.busy) drop(id, session);
    }
    // Where all are busy, those unused for longest make room nevertheless.
    for (const [id, { session }] of live) {
      if (live.size < liveMax) return;
      drop(id, session);
    }
  }

  /** Only forgets it here: its client finds it again. */
  function drop(id: string, session: LiveMcpSession): void {
    live.delete(id);
    void session.close();
  }

  async function revive(id: string): Promise<LiveMcpSession | null> {
    const stored = await store.find(id);
    if (!stored) return null;
    const session = await open(id);
    if (await session.replay(stored.initialize)) {
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

  async function stillExists(id: string, entry: Entry, now: number): Promise<boolean> {
    if (now - entry.confirmedAt < confirmMs) return true;
    entry.confirmedAt = now;
    if (await store.find(id)) return true;
    drop(id, entry.session);
    return false;
  }

  function findByHash(hash: string): [string, LiveMcpSession] | undefined {
    for (const [id, entry] of live) {
      entry.hash ??= hashOf(id);
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
    others.bus.publish("mcp", { session: hashOf(id) });
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
      return (await stillExists(id, entry, now)) ? entry.session : null;
    },
    async end(id) {
      await store.remove(id);
      const session = live.get(id)?.session;
      live.delete(id);
      await session?.close();
      others?.bus.publish("mcp", { session: hashOf(id) });
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
