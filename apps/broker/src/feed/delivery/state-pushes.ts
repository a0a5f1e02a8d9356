import type { StateChangeFrame } from "@merkle/wire";
import { textFrame } from "./entry.js";
import { createOutbox, type Outbox } from "./outbox.js";
import type { Sink } from "./subscription.js";

/** Carries changes of state to connections: the newest value of each key, whatever came before it (STATE-10). */
export interface StatePushes {
  /** Adds a connection, which is told of a mesh's keys from now on; of none's for null. */
  open(meshId: string | null, sink: Sink, cutOff: () => void): StateReceiver;
  /** @param meshId - where the key is, or the key's session */
  push(meshId: string, change: StateChangeFrame): void;
  /** Whether anybody would be told of a key of the session, or of the mesh for null. */
  isRead(meshId: string, sessionId: string | null): boolean;
  /** The sessions and meshes of whose keys somebody is told. */
  read(): { readonly sessionIds: readonly string[]; readonly meshIds: readonly string[] };
}

/** One connection. */
export interface StateReceiver {
  /** Tells it of a session's keys, until the returned function is called; several may ask for the same. */
  follow(sessionId: string): () => void;
  end(): void;
}

/** The most keys whose last pushed version is kept. */
const rememberedMax = 10_000;

export function createStatePushes(): StatePushes {
  const byMesh = new Map<string, Set<Outbox>>();
  const bySession = new Map<string, Map<Outbox, number>>();
  // In the order of their last push.
  const pushed = new Map<string, number>();

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

  /** Commits of one key are in order, the answers of their connections need not be: an older one must not come last. */
  function isNewest(name: string, version: number): boolean {
    const last = pushed.get(name) ?? 0;
    if (version <= last) return false;
    pushed.delete(name);
    pushed.set(name, version);
    if (pushed.size > rememberedMax) {
      const [oldest] = pushed.keys();
      if (oldest !== undefined) pushed.delete(oldest);
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
    read() {
      const meshes = [...byMesh].filter(([, outboxes]) => outboxes.size > 0);
      return { sessionIds: [...bySession.keys()], meshIds: meshes.map(([meshId]) => meshId) };
    },
    push(meshId, change) {
      const name = `${change.session_id ?? meshId} ${change.key}`;
      if (!isNewest(name, change.version)) return;
      const readers =
        change.session_id === null ? byMesh.get(meshId) : bySession.get(change.session_id)?.keys();
      if (!readers) return;
      const frame = textFrame(JSON.stringify(change));
      for (const outbox of readers) outbox.offer(name, frame);
    },
  };
}
