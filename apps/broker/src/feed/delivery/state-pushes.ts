import type { StateChangeFrame } from "@merkle/wire";
import { toTextFrame } from "./entry.js";
import { createOutbox, type Outbox } from "./outbox.js";
import type { Sink } from "./subscription.js";

/** Sends state changes to connections. Only the newest value of each key is sent (STATE-10). */
export interface StatePushes {
  /**
   * Adds a connection that receives a mesh's state changes from now on. If `meshId` is null, the connection
   * receives only the state of sessions that it follows.
   */
  open(meshId: string | null, sink: Sink, cutOff: () => void): StateReceiver;
  /** @param meshId - the mesh of the key, or the mesh of the key's session */
  push(meshId: string, change: StateChangeFrame): void;
  /**
   * Returns whether any connection receives the keys of the session. A null session means the mesh's own
   * keys.
   */
  isRead(meshId: string, sessionId: string | null): boolean;
  /** Returns the sessions and meshes whose state keys are sent to at least one connection. */
  listReadScopes(): { readonly sessionIds: readonly string[]; readonly meshIds: readonly string[] };
}

/** One connection that receives state changes. */
export interface StateReceiver {
  /**
   * Sends the connection the keys of a session until the returned function is called. Nested calls for the
   * same session are counted.
   */
  follow(sessionId: string): () => void;
  end(): void;
}

/** Maximum number of keys whose last pushed version is kept. */
const pushedVersionsMax = 10_000;

export function createStatePushes(): StatePushes {
  const byMesh = new Map<string, Set<Outbox>>();
  const bySession = new Map<string, Map<Outbox, number>>();
  // The last pushed version of each key, ordered by the time of the push.
  const pushedVersions = new Map<string, number>();

  function follow(outbox: Outbox, sessionId: string): () => void {
    const followers = bySession.get(sessionId) ?? new Map<Outbox, number>();
    bySession.set(sessionId, followers);
    followers.set(outbox, (followers.get(outbox) ?? 0) + 1);
    return () => {
      const times = (followers.get(outbox) ?? 0) - 1;
      if (times > 0) followers.set(outbox, times);
      else followers.delete(outbox);
      if (followers.size === 0 && bySession.get(sessionId) === followers) bySession.delete(sessionId);
    };
  }

  /**
   * Commits to one key are in order, but the database connections may deliver their results out of order. An
   * older version must not be pushed after a newer one.
   */
  function isNewest(name: string, version: number): boolean {
    const last = pushedVersions.get(name) ?? 0;
    if (version <= last) return false;
    pushedVersions.delete(name);
    pushedVersions.set(name, version);
    if (pushedVersions.size > pushedVersionsMax) {
      const [oldest] = pushedVersions.keys();
      if (oldest !== undefined) pushedVersions.delete(oldest);
    }
    return true;
  }

  return {
    open(meshId, sink, cutOff) {
      const outbox = createOutbox(sink, cutOff);
      const outboxes = meshId === null ? new Set<Outbox>() : (byMesh.get(meshId) ?? new Set());
      outboxes.add(outbox);
      if (meshId !== null) byMesh.set(meshId, outboxes);
      return {
        follow: (sessionId) => follow(outbox, sessionId),
        end() {
          outbox.end();
          outboxes.delete(outbox);
        },
      };
    },
    isRead(meshId, sessionId) {
      return sessionId === null ? (byMesh.get(meshId)?.size ?? 0) > 0 : bySession.has(sessionId);
    },
    listReadScopes() {
      const meshes = [...byMesh].filter(([, outboxes]) => outboxes.size > 0);
      return { sessionIds: [...bySession.keys()], meshIds: meshes.map(([meshId]) => meshId) };
    },
    push(meshId, change) {
      const name = `${change.session_id ?? meshId} ${change.key}`;
      if (!isNewest(name, change.version)) return;
      const readers =
        change.session_id === null ? byMesh.get(meshId) : bySession.get(change.session_id)?.keys();
      if (!readers) return;
      const frame = toTextFrame(JSON.stringify(change));
      for (const outbox of readers) outbox.offer(name, frame);
    },
  };
}
