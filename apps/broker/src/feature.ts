import type { Database, Transaction } from "@merkle/db";
import type { Bus } from "./core/bus/bus.js";
import type { Log } from "./core/log.js";
import type { Metrics } from "./core/metrics.js";
import type { Nodes } from "./core/nodes.js";
import type { RepeatedTasks } from "./core/repeated-tasks.js";
import type { StopList } from "./core/stop-list.js";
import type { Workers } from "./core/workers/workers.js";
import type { ConcludeHook, DocumentHook } from "./document/hooks.js";
import type { Channels } from "./feed/delivery/channels.js";
import type { MeshChannels } from "./feed/delivery/mesh-channel.js";
import type { AuditSigner } from "./identity/audit-key/audit-key.js";
import type { AuthMode } from "./identity/origin/auth-mode.js";
import type { CreateSessionHook, PeerFactReaders, SessionFactReaders } from "./sessions/hooks.js";
import type { Handlers } from "./transports/context-for.js";
import type { Mount } from "./transports/http/mount.js";
import type { Meshes, Services as TransportServices } from "./transports/services.js";
import type { AttentionSource, PersonDataHook, Purge, TextRemovalHook } from "./views/hooks.js";

/**
 * A part of the broker that can be left out: the operations that it handles, and what it adds to the core. `Services` are what
 * its handlers and hooks need, `Options` those of the broker's options that are its own.
 */
export interface Feature<Services extends TransportServices = TransportServices, Options = unknown> {
  readonly name: string;
  /** The features that this one imports, each through its entry, or whose tables and schemas it uses. */
  readonly needs: readonly string[];
  readonly handlers?: Partial<Handlers<Services>>;
  /** Adds routes beside those of the operations. */
  readonly mount?: Mount<Services>;
  /** Where a program learns how to be let in to the MCP endpoint at this path. */
  readonly metadataUrl?: (services: Services, path: string) => string;

  /** @throws StartError for options that are wrong. Called before anything is started. */
  readonly checkOptions?: (options: Options) => void;
  /** Whether these options let everyone who reaches the broker change files of this machine. */
  readonly opensFiles?: (options: Options) => boolean;
  /** What these options mean, in words for the log, by the name of the fact. */
  readonly describeOptions?: Readonly<Record<string, (options: Options) => string>>;
  /** Starts the services that the feature adds to those of every mesh. Those that it needs were started before. */
  readonly start?: (parts: StartParts<Options>, needed: Services) => object | Promise<object>;
  /** Returns the services that differ from mesh to mesh. */
  readonly inMesh?: (started: Services, meshId: string) => object;
  /** Puts into a new mesh, in the transaction that makes it, what every mesh begins with. */
  readonly furnishMesh?: (tx: Transaction, meshId: string) => Promise<void>;
  readonly repeat?: RepeatedWork<Services>;
  /** Removes once an hour, at one node, what is left of work that was cut off. */
  readonly tidyUp?: (services: Services) => Promise<void>;
  /** Sends clients of this node again what hints of other nodes may have failed to bring. */
  readonly catchUp?: (services: Services) => Promise<void>;

  readonly onCreateSession?: CreateSessionHook;
  readonly sessionFacts?: Partial<SessionFactReaders>;
  readonly peerFacts?: Partial<PeerFactReaders>;
  readonly onDocumentWritten?: DocumentHook<Services>;
  readonly onConclude?: ConcludeHook<Services>;
  readonly attention?: AttentionSource;
  readonly purge?: Readonly<Record<string, Purge>>;
  readonly personData?: PersonDataHook<Services>;
  readonly onRemoveText?: TextRemovalHook<Services>;
}

/** Work in the background that nobody waits for. */
export interface RepeatedWork<Services extends TransportServices> {
  /** Its name in `/health`. */
  readonly name: string;
  readonly everyMs: number;
  /** Returns the work. */
  begin(meshes: Meshes<Services>): () => Promise<unknown>;
}

/** The parts of the core that a feature's services are made from. */
export interface StartParts<Options = unknown> {
  readonly options: Options;
  /** The Merkle home. */
  readonly home: string;
  readonly database: Database;
  readonly bus: Bus;
  readonly nodes: Nodes;
  readonly tasks: RepeatedTasks;
  readonly workers: Workers;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly channels: Channels;
  readonly meshChannels: MeshChannels;
  readonly signer: AuditSigner;
  /** Where the broker listens; known once it does. */
  readonly listening: () => string;
  readonly auth: AuthMode;
  /** Whether anyone but the people of this machine can connect. */
  readonly isForOthers: boolean;
  /** Aborted when the broker stops. */
  readonly stopping: AbortSignal;
  /** To be called once everything has started. */
  readonly meshes: () => Meshes;
  /** The feature's services are stopped by it, in the reverse order of starting. */
  readonly stops: StopList;
}
