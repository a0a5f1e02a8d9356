import type { StoredMessage } from "@merkle/db";
import { type BrokerFrame, eventKinds, type MeshChangedKind, type SystemEvent } from "@merkle/wire";
import type { Bus } from "../../core/bus/bus.js";
import { textFrame } from "./entry.js";
import { createOutbox, type Outbox } from "./outbox.js";
import type { Sink } from "./subscription.js";
import { createThrottle } from "./throttle.js";

/** Tells connections that watch a mesh that a read of it would now differ (MESH-1). While nobody does, nothing is done. */
export interface MeshChannel {
  /** Whether anybody watches this mesh, so that looking for changes is worth its price. */
  readonly watched: boolean;
  /** Adds a connection; returns how to stop. */
  watch(watcher: MeshWatcher): () => void;
  announce(kind: Exclude<MeshChangedKind, "person">, sessionId: string | null): void;
  /** Tells those alone who watch as this person. */
  announceToPerson(personId: string, sessionId: string | null): void;
}

/** The channels of all meshes. What happens in a session is told to the mesh that the session belongs to. */
export interface MeshChannels {
  in(meshId: string): MeshChannel;
  /** Tells those who watch at this node: the others are told of it otherwise. */
  announceHere(kind: MeshChangedKind, sessionId: string): void;
  /** Tells every mesh of what concerns the whole broker. */
  announceEverywhere(kind: Exclude<MeshChangedKind, "person">): void;
  /** Tells those who watch at this node that any read of any mesh may differ. */
  announceAnything(): void;
  /** Announces here what committed messages change. */
  deliver(sessionId: string, messages: readonly StoredMessage[]): void;
  stop(): void;
}

interface MeshWatcher {
  readonly sink: Sink;
  /** The watcher, where it is a person. */
  readonly personId: string | null;
  /** Ends a connection that does not read what it is told. */
  cutOff(): void;
}

interface Watch {
  readonly meshId: string;
  readonly personId: string | null;
}

/** The connections that a change is told to, by mesh and by person; a field that is left out does not matter. */
interface Audience {
  readonly meshId?: string | undefined;
  readonly personId?: string | undefined;
}

/** A kind is told of one session at most so often. */
const everyMs = 1_000;

/**
 * @param meshOf - the mesh of a session, or null where there is no such session
 */
export function createMeshChannels(
  meshOf: (sessionId: string) => Promise<string | null>,
  bus: Pick<Bus, "publish" | "on">,
): MeshChannels {
  const watchers = new Map<Outbox, Watch>();
  const throttle = createThrottle(everyMs);

  function tell(kind: MeshChangedKind, sessionId: string | null, audience: Audience): void {
    const name = `${kind} ${sessionId} ${audience.meshId} ${audience.personId}`;
    throttle.hint(name, () => offer(name, kind, sessionId, audience));
  }

  function tellOfSession(kind: MeshChangedKind, sessionId: string): void {
    const name = `${kind} ${sessionId}`;
    throttle.hint(name, () => {
      meshOf(sessionId).then(
        (meshId) => meshId !== null && offer(name, kind, sessionId, { meshId }),
        // The database is away: who watches reads again when the connection or the next change tells them to.
        () => undefined,
      );
    });
  }

  function offer(
    name: string,
    kind: MeshChangedKind,
    sessionId: string | null,
    { meshId, personId }: Audience,
  ): void {
    const frame = textFrame(
      JSON.stringify({ type: "mesh_changed", kind, session_id: sessionId } satisfies BrokerFrame),
    );
    for (const [outbox, watch] of watchers) {
      if (meshId !== undefined && meshId !== watch.meshId) continue;
      if (personId !== undefined && personId !== watch.personId) continue;
      outbox.offer(name, frame);
    }
  }

  function announceHere(kind: MeshChangedKind, sessionId: string): void {
    if (watchers.size > 0) tellOfSession(kind, sessionId);
  }

  function announce(kind: MeshChangedKind, sessionId: string | null, { meshId, personId }: Audience): void {
    if (watchers.size > 0) tell(kind, sessionId, { meshId, personId });
    bus.publish("mesh", { kind, mesh: meshId ?? null, session: sessionId, person: personId ?? null });
  }

  bus.on("mesh", ({ kind, mesh, session, person }) => {
    if (watchers.size > 0) tell(kind, session, { meshId: mesh ?? undefined, personId: person ?? undefined });
  });

  return {
    in: (meshId) => ({
      get watched() {
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
      for (const kind of watchers.size > 0 ? allKinds : []) tell(kind, null, {});
    },
    announceEverywhere: (kind) => announce(kind, null, {}),
    deliver(sessionId, messages) {
      if (watchers.size === 0) return;
      for (const kind of changesOf(messages)) announceHere(kind, sessionId);
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

/** Which reads of the mesh committed messages change. */
export function changesOf(messages: readonly StoredMessage[]): readonly MeshChangedKind[] {
  return [...new Set(messages.flatMap(changesOfOne))];
}

function changesOfOne(message: StoredMessage): readonly MeshChangedKind[] {
  if (message.type === "system") return changesOfEvent(message);
  const mayNeedSomebody = message.author_human || message.answers !== null || isAsk(message);
  return mayNeedSomebody ? ["sessions", "attention"] : ["sessions"];
}

function changesOfEvent({ content }: StoredMessage): readonly MeshChangedKind[] {
  const { event }: SystemEvent = JSON.parse(content);
  return eventKinds[event].changes;
}

/** Whether a message says that its session was concluded. */
export function concludes({ type, content }: StoredMessage): boolean {
  return type === "system" && content.includes('"event":"session_concluded"');
}

/** Canonical JSON has its quotes escaped within a text, so this is a key and its value. */
function isAsk({ content }: StoredMessage): boolean {
  return content.includes('"kind":"ask"');
}
