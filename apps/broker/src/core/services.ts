import type { Database } from "@merkle/db";
import type { ChangedKind, MeshChangedKind } from "@merkle/wire";
import type { Addresses } from "./addresses.js";
import type { Bus } from "./bus/bus.js";
import type { Foreground } from "./foreground.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";
import type { Nodes } from "./nodes.js";
import type { RepeatedTasks } from "./repeated-tasks.js";
import type { SettingsStore } from "./settings-store.js";
import type { Turns } from "./turns.js";
import type { EventLoopWatch } from "./watch-event-loop.js";
import type { WorkerPool } from "./workers/workers.js";

/** Notifies the watchers of a mesh that a read of the mesh would now return a different result (MESH-1). */
export interface MeshAnnouncer {
  announce(kind: Exclude<MeshChangedKind, "person">, sessionId: string | null): void;
  /** Notifies only connections that watch the mesh as this person. */
  announceToPerson(personId: string, sessionId: string | null): void;
}

/** Notifies the readers of a session that something in it has changed. */
export interface SessionAnnouncer {
  /** Finds the channel of a session, which exists only while the session has readers. */
  find(sessionId: string): { readonly head: number } | undefined;
  announceChange(sessionId: string, kind: Exclude<ChangedKind, "delivery">, version: number): void;
}

/**
 * The services that every folder of the core needs, limited to one mesh. Each folder above the core adds its
 * own services, and its handlers get only the services of that level.
 */
export interface CoreServices {
  readonly version: string;
  readonly startedAt: Date;
  readonly databaseKind: "embedded" | "external";
  /** The Merkle home, for temporary files. */
  readonly home: string;
  readonly eventLoop: EventLoopWatch;
  /** The database, limited to this mesh by `meshId` so that no query reads another mesh. */
  readonly database: Database;
  readonly meshName: string;
  readonly mesh: MeshAnnouncer;
  readonly meshChannels: {
    get(meshId: string): MeshAnnouncer;
    /** Notifies the watchers of every mesh about a change that affects the whole broker. */
    announceEverywhere(kind: Exclude<MeshChangedKind, "person">): void;
  };
  readonly bus: Bus;
  readonly nodes: Nodes;
  readonly tasks: RepeatedTasks;
  /** A queue per session that runs the session's writes one at a time. Null on a single node. */
  readonly turns: Turns | null;
  readonly foreground: Foreground;
  /** Resolves once this node is known to be the only one on its database. Usually resolves immediately. */
  readonly waitUntilAlone: () => Promise<void>;
  /** Returns whether the node lock is held now. */
  readonly isAlone: () => boolean;
  readonly settings: SettingsStore;
  readonly addresses: Addresses;
  readonly workers: WorkerPool;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Aborted when the broker stops. Parked waits then end as at their timeout. */
  readonly stopping: AbortSignal;
}
