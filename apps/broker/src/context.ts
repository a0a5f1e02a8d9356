import type { Database, Transaction } from "@merkle/db";
import type { OperationName, OutputOf, operationRules, ParsedInputOf } from "@merkle/wire";
import type { Addresses } from "./core/addresses.js";
import type { Log } from "./core/log.js";
import type { Metrics } from "./core/metrics.js";
import type { SettingsStore } from "./core/settings-store.js";
import type { EventLoopWatch } from "./core/watch-event-loop.js";
import type { Workers } from "./core/workers/workers.js";
import type { Write } from "./core/write.js";
import type { Appender } from "./feed/appender.js";
import type { Channels } from "./feed/delivery/channels.js";
import type { MeshChannel, MeshChannels } from "./feed/delivery/mesh-channel.js";
import type { Entrance } from "./identity/authenticator/entrance.js";
import type { Limiter } from "./identity/limits/limiter.js";
import type { Meshes } from "./identity/meshes/meshes.js";
import type { JobPrincipal, Principal } from "./identity/principal.js";
import type { Summariser } from "./progress/summariser.js";
import type { AuditSigner } from "./record/audit-key.js";
import type { Records } from "./record/records.js";
import type { Credentials, PersonCaller, TeamCaller } from "./sessions/access/credentials.js";
import type { SessionDirectory, SessionIdentity } from "./sessions/access/directory.js";
import type { Presence } from "./sessions/peers/presence.js";
import type { StateAnnouncer } from "./state/state-announcer.js";
import type { BodyReader } from "./transports/http/read-json-body.js";
import type { Certificate } from "./transports/tls/certificate.js";
import type { Indexer } from "./views/search/indexer.js";
import type { Jobs } from "./work/jobs/run-jobs.js";
import type { Sources } from "./work/sources/sources.js";
import type { Anchorer } from "./work/topics/anchorer.js";

/** What the broker's parts share, as they are seen in one mesh. All but the mesh's own is made once, at start. */
export interface Services {
  readonly version: string;
  readonly startedAt: Date;
  readonly databaseKind: "embedded" | "external";
  /** The Merkle home, for files that are there for a moment. */
  readonly home: string;
  /** What whoever can read the home shows, to make links that verify a person (PERSON-10). */
  readonly homeKey: string;
  readonly eventLoop: EventLoopWatch;
  /** Its `meshId` is the mesh's, so that no query asks about another. */
  readonly database: Database;
  readonly meshName: string;
  readonly appender: Appender;
  readonly channels: Channels;
  readonly mesh: MeshChannel;
  readonly meshChannels: MeshChannels;
  /** Resolves while this node is known to be the only one on its database; at once, as a rule. */
  readonly whenAlone: () => Promise<void>;
  /** Whether the node lock is held at this moment. */
  readonly isAlone: () => boolean;
  /** For what concerns more than this mesh; verbs that stay in theirs have no need of it. */
  readonly meshes: () => Meshes;
  readonly entrance: () => Entrance;
  readonly stateAnnouncer: StateAnnouncer;
  readonly indexer: Indexer;
  readonly anchorer: Anchorer;
  readonly summariser: Summariser;
  readonly presence: Presence;
  readonly jobs: () => Jobs;
  readonly credentials: Credentials;
  /** The files that this mesh may work on. */
  readonly sources: Sources;
  readonly sessions: SessionDirectory;
  readonly settings: SettingsStore;
  readonly addresses: Addresses;
  /** What the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => Certificate | null;
  readonly workers: Workers;
  /** Signs what the broker says of records. */
  readonly signer: AuditSigner;
  readonly records: Records;
  readonly limiter: Limiter;
  readonly bodies: BodyReader;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Aborted when the broker stops: parked waits end as at their timeout. */
  readonly stopping: AbortSignal;
}

/** One request, as a verb sees it. */
export interface Context {
  readonly services: Services;
  readonly door: "rest" | "mcp" | "websocket";
  /** Whether a program or a model reads the answer; a model's pages are shorter. */
  readonly view: "json" | "compact";
  /** Aborted when the caller gives up or goes away. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  /** The connection over which the caller's calls come one after the other; undefined where a proxy may mix those of many. */
  readonly connection: object | undefined;
  /** To be called in the transaction that makes a credential for the caller. */
  givenOut(tx: Transaction, sessionId: string, credential: string): Promise<void>;
  /** To be called by a wait that begins to block. */
  onBlocked(): void;
  /** To be called by what has handed its effect to a queue that keeps the order: the caller's next write may begin. */
  placed(): void;
  /** Who was let in; null for somebody whom the broker does not know, where an operation is for anybody. */
  readonly principal: Principal | null;
  /** The team that calls; a person's, where the person is or has been one. */
  readonly team: TeamCaller | null;
  readonly person: PersonCaller | null;
  /** Whether that write first makes the caller a team: what is posted then must be a part of it (PERSON-3). */
  readonly joins: boolean;
  /** Does the request's one write, once (IDEM-1). */
  write<Result>(work: (write: Write) => Promise<Result>): Promise<Result>;
  /** Runs when the reply has been written to the caller in full. */
  onWritten(run: () => void): void;
}

export interface SessionContext extends Context {
  readonly session: SessionIdentity;
}

export interface TeamContext extends SessionContext {
  readonly team: TeamCaller;
}

/** Somebody who reads a session: a team of it, or a person, who need not be in it. */
export type ReaderContext =
  | (TeamContext & { readonly person: null })
  | (SessionContext & { readonly person: PersonCaller });

/** Somebody of the mesh who addresses no session: a team of any of its sessions, or a person. */
export type MeshContext =
  | (Context & { readonly team: TeamCaller; readonly person: null })
  | (Context & { readonly team: null; readonly person: PersonCaller });

/** The agent of a running job, which is no team and no person. */
export type AgentContext = Context & {
  readonly principal: JobPrincipal;
  readonly team: null;
  readonly person: null;
};

/** Who proposes something: somebody of the mesh, or the agent of a job. */
export type ProposerContext = MeshContext | AgentContext;

/** A person, where no session is addressed. */
export type PersonContext = Context & { readonly team: null; readonly person: PersonCaller };

/** A person who reads a session, in it or not. */
export type PersonReaderContext = SessionContext & { readonly person: PersonCaller };

/** What the verb of an operation is given, as its rules say. */
export type ContextFor<Name extends OperationName> = ContextOf<(typeof operationRules)[Name]>;

type ContextOf<Rules> = Rules extends { readonly route: `${string}/:session_id${string}` }
  ? Rules extends { readonly access: "team" }
    ? TeamContextOf<Rules> | (ForJobs<Rules> & SessionContext)
    : SessionContext
  : Rules extends { readonly access: "team" }
    ? (Rules extends { readonly human: string } ? PersonContext : MeshContext) | ForJobs<Rules>
    : Rules extends { readonly access: "job" }
      ? AgentContext
      : Context;

/** A person whose reading is noted need not be in the session. */
type TeamContextOf<Rules> = Rules extends { readonly notesReading: true }
  ? Rules extends { readonly human: string }
    ? PersonReaderContext
    : ReaderContext
  : TeamContext;

type ForJobs<Rules> = Rules extends { readonly forJobs: readonly unknown[] } ? AgentContext : never;

/** A verb for every operation, and no other (CAT-2). */
export type Handlers = {
  readonly [Name in OperationName]: (
    ctx: ContextFor<Name>,
    input: ParsedInputOf<Name>,
  ) => Promise<OutputOf<Name>>;
};

export type { OutputOf, ParsedInputOf };
