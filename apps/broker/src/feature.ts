import type { Database, Transaction } from "@merkle/db";
import type { Bus } from "./core/bus/bus.js";
import type { Log } from "./core/log.js";
import type { Metrics } from "./core/metrics.js";
import type { Nodes } from "./core/nodes.js";
import type { RepeatedTasks } from "./core/repeated-tasks.js";
import type { StopList } from "./core/stop-list.js";
import type { WorkerPool } from "./core/workers/workers.js";
import type { ConcludeHook, DocumentHook } from "./document/hooks.js";
import type { Channels } from "./feed/delivery/channels.js";
import type { MeshChannels } from "./feed/delivery/mesh-channel.js";
import type { AuditSigner } from "./identity/audit-key/audit-key.js";
import type { AuthMode } from "./identity/origin/auth-mode.js";
import type { AttachHook, CreateSessionHook, PeerFactReaders, SessionFactReaders } from "./sessions/hooks.js";
import type { Handlers } from "./transports/context-for.js";
import type { MountRoutes } from "./transports/http/mount.js";
import type { Meshes, Services as TransportServices } from "./transports/services.js";
import type {
  AttentionSource,
  ExportHook,
  ImportHook,
  PersonDataHook,
  Purge,
  TextRemovalHook,
} from "./views/hooks.js";

/**
 * A part of the broker that can be left out: its operations, and its additions to the core. `Services` are
 * the services that the feature's handlers and hooks need. `Options` are the broker options that the feature
 * reads.
 */
export interface Feature<Services extends TransportServices = TransportServices, Options = unknown> {
  readonly name: string;
  /** The features whose code, tables or schemas this feature uses. */
  readonly needs: readonly string[];
  readonly handlers?: Partial<Handlers<Services>>;
  /** Adds HTTP routes in addition to the routes of the feature's operations. */
  readonly mount?: MountRoutes<Services>;
  /**
   * Returns the URL of the metadata that explains to clients how to get access to the MCP endpoint at this path
   * (RFC 9728).
   */
  readonly toMetadataUrl?: (services: Services, path: string) => string;

  /**
   * Validates the options. Called before anything is started.
   *
   * @throws StartError for invalid options
   */
  readonly checkOptions?: (options: Options) => void;
  /** Returns whether the options let anyone who can reach the broker change files on this machine. */
  readonly opensFiles?: (options: Options) => boolean;
  /** Functions that describe the feature's options for the log. The keys are the names used in the log. */
  readonly describeOptions?: Readonly<Record<string, (options: Options) => string>>;
  /** Starts the services that the feature adds to every mesh. The services that it needs are already started. */
  readonly start?: (parts: StartParts<Options>, needed: Services) => object | Promise<object>;
  /** Returns the feature's services for one mesh. */
  readonly inMesh?: (started: Services, meshId: string) => object;
  /** Adds the feature's initial data to a new mesh, in the transaction that creates the mesh. */
  readonly seedMesh?: (tx: Transaction, meshId: string) => Promise<void>;
  readonly repeat?: RepeatedWork<Services>;
  /** Removes what interrupted work has left behind. Called once an hour, on one node. */
  readonly tidyUp?: (services: Services) => Promise<void>;
  /**
   * Sends this node's clients the changes that they may have missed because hints from other nodes were lost.
   */
  readonly catchUp?: (services: Services) => Promise<void>;

  readonly onCreateSession?: CreateSessionHook;
  readonly onAttach?: AttachHook;
  readonly sessionFacts?: Partial<SessionFactReaders>;
  readonly peerFacts?: Partial<PeerFactReaders>;
  readonly onDocumentWritten?: DocumentHook<Services>;
  readonly onConclude?: ConcludeHook<Services>;
  readonly attention?: AttentionSource;
  readonly purge?: Readonly<Record<string, Purge>>;
  readonly personData?: PersonDataHook<Services>;
  readonly onRemoveText?: TextRemovalHook<Services>;
  readonly onImport?: ImportHook;
  readonly onExport?: ExportHook;
}

/** A feature's background work that runs at intervals. */
export interface RepeatedWork<Services extends TransportServices> {
  /** The name shown in `/health`. */
  readonly name: string;
  readonly everyMs: number;
  /** Returns the function to run at each interval. */
  begin(meshes: Meshes<Services>): () => Promise<unknown>;
}

/** The parts of the core that a feature needs to start its services. */
export interface StartParts<Options = unknown> {
  readonly options: Options;
  /** The Merkle home. */
  readonly home: string;
  readonly database: Database;
  readonly bus: Bus;
  readonly nodes: Nodes;
  readonly tasks: RepeatedTasks;
  readonly workers: WorkerPool;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly channels: Channels;
  readonly meshChannels: MeshChannels;
  readonly signer: AuditSigner;
  /** Returns the address that the broker listens on. Available only once the broker is listening. */
  readonly getListeningUrl: () => string;
  readonly auth: AuthMode;
  /** Whether people other than the users of this machine can connect. */
  readonly isForOthers: boolean;
  /** Aborted when the broker stops. */
  readonly stopping: AbortSignal;
  /** Returns the meshes. Call only once everything has started. */
  readonly getMeshes: () => Meshes;
  /**
   * The list to which the feature adds its services. The services are stopped in reverse order of starting.
   */
  readonly stops: StopList;
}
