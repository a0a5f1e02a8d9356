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
import type { Workers } from "./workers/workers.js";

/** Announces to those who watch a mesh that a read of it would now differ (MESH-1). */
export interface MeshAnnouncer {
  announce(kind: Exclude<MeshChangedKind, "person">, sessionId: string | null): void;
  /** Announces it only to those who watch as this person. */
  announceToPerson(personId: string, sessionId: string | null): void;
}

/** Announces to the readers of a session that something in it has changed. */
export interface SessionAnnouncer {
  /** The channel of a session that has readers now. */
  find(sessionId: string): { readonly head: number } | undefined;
  announceChange(sessionId: string, kind: Exclude<ChangedKind, "delivery">, version: number): void;
}

/**
 * The services that every floor needs, as they are seen in one mesh. Each floor above adds its own to them, and its verbs
 * are given no others.
 */
export interface CoreServices {
  readonly version: string;
  readonly startedAt: Date;
  readonly databaseKind: "embedded" | "external";
  /** The Merkle home, for files that are there for a moment. */
  readonly home: string;
  readonly eventLoop: EventLoopWatch;
  /** Its `meshId` is the mesh's, so that no query asks about another. */
  readonly database: Database;
  readonly meshName: string;
  readonly mesh: MeshAnnouncer;
  readonly meshChannels: {
    in(meshId: string): MeshAnnouncer;
    /** Announces to every mesh what concerns the whole broker. */
    announceEverywhere(kind: Exclude<MeshChangedKind, "person">): void;
  };
  readonly bus: Bus;
  readonly nodes: Nodes;
  readonly tasks: RepeatedTasks;
  /** Lets the writes of one session happen one by one; null where this node is alone. */
  readonly turns: Turns | null;
  readonly foreground: Foreground;
  /** Resolves while this node is known to be the only one on its database; at once, as a rule. */
  readonly whenAlone: () => Promise<void>;
  /** Whether the node lock is held at this moment. */
  readonly isAlone: () => boolean;
  readonly settings: SettingsStore;
  readonly addresses: Addresses;
  readonly workers: Workers;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Aborted when the broker stops: parked waits end as at their timeout. */
  readonly stopping: AbortSignal;
}
