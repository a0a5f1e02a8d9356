import type { StoredMessage } from "@merkle/db";
import { type BrokerFrame, eventKinds, type MeshChangedKind, type SystemEvent } from "@merkle/wire";
import type { Bus } from "../../core/bus/bus.js";
import { toTextFrame } from "./entry.js";
import { createOutbox, type Outbox } from "./outbox.js";
import type { Sink } from "./subscription.js";
import { createThrottle } from "./throttle.js";

/**
 * Notifies connections that watch a mesh when a read of the mesh would now return a different result (MESH-1).
 * Does nothing if there are no watchers.
 */
export interface MeshChannel {
  /** Whether any connection watches this mesh. If not, callers need not check for changes. */
  readonly isWatched: boolean;
  /** Adds a watching connection. Returns a function that removes it. */
  watch(watcher: MeshWatcher): () => void;
  announce(kind: Exclude<MeshChangedKind, "person">, sessionId: string | null): void;
  /** Notifies only connections that watch the mesh as this person. */
  announceToPerson(personId: string, sessionId: string | null): void;
}

/** The channels of all meshes. Changes in a session are announced to the mesh that the session belongs to. */
export interface MeshChannels {
  get(meshId: string): MeshChannel;
  /** Notifies the watchers on this node only. The other nodes are notified separately. */
  announceHere(kind: MeshChangedKind, sessionId: string): void;
  /** Notifies the watchers of every mesh about a change that affects the whole broker. */
  announceEverywhere(kind: Exclude<MeshChangedKind, "person">): void;
  /** Notifies the watchers on this node that any read in any mesh may have changed. */
  announceAnything(): void;
  /** Notifies the watchers on this node of the changes that committed messages cause. */
  deliver(sessionId: string, messages: readonly StoredMessage[]): void;
  stop(): void;
}

interface MeshWatcher {
  readonly sink: Sink;
  /** The person who watches, or null if the watcher is not a person. */
  readonly personId: string | null;
  /** Closes the watcher's connection, because it does not read its notifications. */
  cutOff(): void;
}

interface Watch {
  readonly meshId: string;
  readonly personId: string | null;
}

/** Selects the connections to notify, by mesh and by person. An omitted field matches every connection. */
interface WatcherFilter {
  readonly meshId?: string | undefined;
  readonly personId?: string | undefined;
}

/** Minimum time between two notifications of the same kind about one session. */
const everyMs = 1_000;

/** @param findMeshId - returns the mesh of a session, or null if the session does not exist */
export function createMeshChannels(
  findMeshId: (sessionId: string) => Promise<string | null>,
  bus: Pick<Bus, "publish" | "on">,
): MeshChannels {
  const watchers = new Map<Outbox, Watch>();
  const throttle = createThrottle(everyMs);

  function notify(kind: MeshChangedKind, sessionId: string | null, audience: WatcherFilter): void {
    const name = `${kind} ${sessionId} ${audience.meshId} ${audience.personId}`;
    throttle.hint(name, () => offer(name, kind, sessionId, audience));
  }

  function notifyAboutSession(kind: MeshChangedKind, sessionId: string): void {
    const name = `${kind} ${sessionId}`;
    throttle.hint(name, () => {
      findMeshId(sessionId).then(
        (meshId) => meshId !== null && offer(name, kind, sessionId, { meshId }),
        // The database is unavailable. Watchers read again when they reconnect, or at the next change.
        () => undefined,
      );
    });
  }

  function offer(
    name: string,
    kind: MeshChangedKind,
    sessionId: string | null,
    { meshId, personId }: WatcherFilter,
  ): void {
    const frame = toTextFrame(
      JSON.stringify({ type: "mesh_changed", kind, session_id: sessionId } satisfies BrokerFrame),
    );
    for (const [outbox, watch] of watchers) {
      if (meshId !== undefined && meshId !== watch.meshId) continue;
      if (personId !== undefined && personId !== watch.personId) continue;
      outbox.offer(name, frame);
    }
  }

  function announceHere(kind: MeshChangedKind, sessionId: string): void {
    if (watchers.size > 0) notifyAboutSession(kind, sessionId);
  }

  function announce(
    kind: MeshChangedKind,
    sessionId: string | null,
    { meshId, personId }: WatcherFilter,
  ): void {
    if (watchers.size > 0) notify(kind, sessionId, { meshId, personId });
    bus.publish("mesh", { kind, mesh: meshId ?? null, session: sessionId, person: personId ?? null });
  }

  bus.on("mesh", ({ kind, mesh, session, person }) => {
    if (watchers.size > 0)
      notify(kind, session, { meshId: mesh ?? undefined, personId: person ?? undefined });
  });

  return {
    get: (meshId) => ({
      get isWatched() {
        for (const watch of watchers.values()) if (watch.meshId === meshId) return true;
        return false;
      },
      watch({ sink, personId, cutOff }) {
        const outbox = createOutbox(sink, cutOff);
        watchers.set(outbox, { meshId, personId });
        return () => {
          watchers.delete(outbox);
          outbox.end();
        };
      },
      announce: (kind, sessionId) => announce(kind, sessionId, { meshId }),
      announceToPerson: (personId, sessionId) => announce("person", sessionId, { meshId, personId }),
    }),
    announceHere,
    announceAnything() {
      for (const kind of watchers.size > 0 ? allKinds : []) notify(kind, null, {});
    },
    announceEverywhere: (kind) => announce(kind, null, {}),
    deliver(sessionId, messages) {
      if (watchers.size === 0) return;
      for (const kind of toMeshChanges(messages)) announceHere(kind, sessionId);
    },
    stop: throttle.stop,
  };
}

const allKinds = Object.keys({
  sessions: true,
  attention: true,
  memory: true,
  progress: true,
  audit: true,
  jobs: true,
  personas: true,
  perspectives: true,
  topics: true,
  proposals: true,
  settings: true,
  members: true,
  person: true,
} satisfies Record<MeshChangedKind, true>) as MeshChangedKind[];

/** Returns the mesh reads that committed messages affect. */
export function toMeshChanges(messages: readonly StoredMessage[]): readonly MeshChangedKind[] {
  return [...new Set(messages.flatMap(toMessageChanges))];
}

function toMessageChanges(message: StoredMessage): readonly MeshChangedKind[] {
  if (message.type === "system") return toEventChanges(message);
  const canNeedHuman = message.author_human || message.answers !== null || isAsk(message);
  return canNeedHuman ? ["sessions", "attention"] : ["sessions"];
}

function toEventChanges({ content }: StoredMessage): readonly MeshChangedKind[] {
  const { event }: SystemEvent = JSON.parse(content);
  return eventKinds[event].changes;
}

/** Returns whether a message reports that its session was concluded. */
export function isConclusion({ type, content }: StoredMessage): boolean {
  return type === "system" && content.includes('"event":"session_concluded"');
}

/**
 * Returns whether a message is an ask. Searches the raw JSON: canonical JSON escapes quotes within strings, so
 * a match is always a key with its value.
 */
function isAsk({ content }: StoredMessage): boolean {
  return content.includes('"kind":"ask"');
}
