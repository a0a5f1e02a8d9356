import type { StoredMessage } from "@merkle/db";
import type { BrokerFrame, MeshChangedKind } from "@merkle/wire";
import { changesOf } from "./mesh-changes.js";
import { createOutbox, type Outbox } from "./outbox.js";
import { createPace } from "./pace.js";
import type { Sink } from "./subscription.js";
import { textFrame } from "./text-frame.js";

/** Tells connections that watch the mesh that a read of it would now differ (MESH-1). While nobody does, nothing is done. */
export interface MeshChannel {
  /** Whether anybody watches, so that looking for changes is worth its price. */
  readonly watched: boolean;
  /** Adds a connection; returns how to stop. */
  watch(watcher: MeshWatcher): () => void;
  announce(kind: Exclude<MeshChangedKind, "person">, sessionId: string | null): void;
  /** Tells those alone who watch as this person. */
  announceToPerson(personId: string, sessionId: string | null): void;
  /** Announces what committed messages change. */
  deliver(sessionId: string, messages: readonly StoredMessage[]): void;
  stop(): void;
}

export interface MeshWatcher {
  readonly sink: Sink;
  /** Who watches, where it is a person. */
  readonly personId: string | null;
  /** Ends a connection that does not read what it is told. */
  cutOff(): void;
}

/** A kind is told of one session at most so often. */
const everyMs = 1_000;

export function createMeshChannel(): MeshChannel {
  const watchers = new Map<Outbox, string | null>();
  const pace = createPace(everyMs);

  function tell(kind: MeshChangedKind, sessionId: string | null, personId: string | null): void {
    const name = `${kind} ${sessionId} ${personId}`;
    pace.hint(name, () => {
      const frame = textFrame(
        JSON.stringify({ type: "mesh_changed", kind, session_id: sessionId } satisfies BrokerFrame),
      );
      for (const [outbox, watchesAs] of watchers) {
        if (personId === null || personId === watchesAs) outbox.offer(name, frame);
      }
    });
  }

  function announce(kind: MeshChangedKind, sessionId: string | null): void {
    if (watchers.size > 0) tell(kind, sessionId, null);
  }

  return {
    get watched() {
      return watchers.size > 0;
    },
    watch({ sink, personId, cutOff }) {
      const outbox = createOutbox(sink, cutOff);
      watchers.set(outbox, personId);
      return () => {
        watchers.delete(outbox);
        outbox.end();
      };
    },
    announce,
    announceToPerson(personId, sessionId) {
      if (watchers.size > 0) tell("person", sessionId, personId);
    },
    deliver(sessionId, messages) {
      if (watchers.size === 0) return;
      for (const kind of new Set(messages.flatMap(changesOf))) announce(kind, sessionId);
    },
    stop: pace.stop,
  };
}
