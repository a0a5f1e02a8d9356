import { setMaxListeners } from "node:events";
import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ConnectionTarget,
  type Database,
  holdNodeLock,
  lockNoticedMsMax,
  type NodeLock,
  openDatabase,
  shipPersonas,
  type Transaction,
} from "@merkle/db";
import { explainingPath, lockHome, startEmbeddedPostgres } from "@merkle/db/embedded";
import { describeStranger, findStrangerAbove, findStrangerInHome } from "@merkle/db/files";
import { limits, type RateLimits } from "@merkle/wire";
import { createAddresses } from "../core/addresses.js";
import { createLog, type Log } from "../core/log.js";
import { toStoredMessage } from "../core/message.js";
import { createMetrics } from "../core/metrics.js";
import { loadSettings } from "../core/settings-store.js";
import { StartError } from "../core/start-error.js";
import { createStopList } from "../core/stop-list.js";
import { readVersion } from "../core/version.js";
import { watchEventLoop } from "../core/watch-event-loop.js";
import { startWorkers } from "../core/workers/workers.js";
import { type Appender, type PostedRow, startAppender } from "../feed/appender.js";
import { startInProcessBus } from "../feed/delivery/bus.js";
import { startChannels } from "../feed/delivery/channels.js";
import { createMeshChannels } from "../feed/delivery/mesh-channel.js";
import { createAuthenticator } from "../identity/authenticator/authenticator.js";
import { ensureFirstInvite, makeAdminInvite } from "../identity/invites/manage-invites.js";
import { createLimiter } from "../identity/limits/limiter.js";
import { createMeshes, createMeshOfSession } from "../identity/meshes/meshes.js";
import { type AuthMode, chooseAuth, isLoopback } from "../identity/origin/auth-mode.js";
import { createHostGuard } from "../identity/origin/hosts.js";
import { createOriginReader, type OriginReader } from "../identity/origin/request-origin.js";
import { makeVerificationCode, writeHomeKey } from "../identity/persons/verification.js";
import { createRevocations } from "../identity/revocations.js";
import { createSessionDirectory } from "../identity/session-directory.js";
import { atLevel } from "../progress/progress-log.js";
import { createSummariser, type ProgressLogLevel, type SummaryOptions } from "../progress/summariser.js";
import { type AuditSigner, openAuditKey } from "../record/audit-key.js";
import { clearSpool } from "../record/import/spool.js";
import { createRecords } from "../record/records.js";
import { createCredentials } from "../sessions/access/credentials.js";
import { startPresence } from "../sessions/peers/presence.js";
import { startStateAnnouncer } from "../state/state-announcer.js";
import { createHttpServer, type Deadlines, type HttpServer } from "../transports/http-server.js";
import type { Authenticator, Meshes, Services } from "../transports/services.js";
import { type Certificate, type CertificateFiles, readCertificate } from "../transports/tls/certificate.js";
import { type HeldCertificate, holdCertificate } from "../transports/tls/hold-certificate.js";
import { startIndexer } from "../views/search/indexer.js";
import { type Jobs, startJobs } from "../work/jobs/run-jobs.js";
import type { AgentOptions } from "../work/jobs/runner.js";
import { shippedPersonas } from "../work/personas/shipped-personas.js";
import { createSources, noSources } from "../work/sources/sources.js";
import { startAnchorer } from "../work/topics/anchorer.js";
import { startHousekeeper } from "./housekeeper.js";
import { workerEntry } from "./worker-entry.js";

export interface BrokerOptions {
  /** The Merkle home: everything that this machine keeps. An absolute path. */
  readonly home: string;
  /** What to listen on; loopback unless told. */
  readonly host?: string | undefined;
  /** 7423 unless told; 0 takes any free port. */
  readonly port?: number | undefined;
  /** A PostgreSQL of the user's own; without it the embedded one is started. */
  readonly databaseUrl?: string | undefined;
  /** The address that agents are given, where the settings name none. */
  readonly publicUrl?: string | undefined;
  /** Who is let in: everybody, or members alone. Unless told, everybody exactly where nobody but this machine can come. */
  readonly auth?: AuthMode | undefined;
  /** Lets everybody in although others can reach the broker. */
  readonly insecureOpen?: boolean | undefined;
  /** In invite mode, makes an invite for an admin although there is one: for a key that was lost. */
  readonly newAdminInvite?: boolean | undefined;
  /**
   * Goes on with a new audit key, which nothing vouches for, where the home has not the one that the database's records were
   * signed with: for a key that was lost.
   */
  readonly newAuditKey?: boolean | undefined;
  /** Further host names that requests may be meant for. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Makes the port speak https and wss, and nothing else. */
  readonly tls?: TlsOptions | undefined;
  /** Addresses, and ranges such as `10.0.0.0/8`, of proxies that are believed about whom they speak for. None unless told. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** A folder of static pages to serve at `/`. */
  readonly dashboard?: string | undefined;
  readonly log?: Log | undefined;
  /** How often connections are pinged. */
  readonly heartbeatMs?: number | undefined;
  /**
   * What differs from the usual rates (GUARD-4), or "off". Unless told there are none where the broker lets anyone in and only
   * this machine can reach it: whoever is there could stop it as well.
   */
  readonly rateLimits?: Partial<RateLimits> | "off" | undefined;
  /** How long it waits for what a client has begun; as `limits` say unless told. */
  readonly deadlines?: Partial<Deadlines> | undefined;
  /** Who summarises progress entries; unless told, nobody does, and the beginning of an entry stands for its summary. */
  readonly summaries?: SummaryOptions | undefined;
  /** The least that is logged of progress; "info" unless told. */
  readonly progressLogLevel?: ProgressLogLevel | undefined;
  /** How it has jobs done; unless told they wait for a runner elsewhere. */
  readonly agent?: AgentOptions | undefined;
  /** How many WebSocket connections it holds at once; `limits.connectionsMax` unless told. */
  readonly connectionsMax?: number | undefined;
}

export interface TlsOptions extends CertificateFiles {
  /** Called with each certificate before it is served, the first one included. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** How often the files are looked at for a renewed one, in milliseconds; 5,000 unless told. */
  readonly lookEveryMs?: number | undefined;
}

export interface Broker {
  /** Where it listens. */
  readonly url: string;
  /** What agents are given. */
  readonly mcpUrl: string;
  readonly port: number;
  readonly loopback: boolean;
  readonly auth: AuthMode;
  /** In invite mode the link by which an admin comes in: while there is none, or when one was asked for; else null. */
  readonly firstInvite: string | null;
  /** In open mode a link to the dashboard that verifies the person of one browser; else null, since members are verified. */
  readonly verifyingLink: string | null;
  readonly database: "embedded" | "external";
  readonly migrationsRun: number;
  /** Ends calls and connections in order, drains, and leaves nothing running. May be called twice. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, with the reason if it had to stop by itself. */
  readonly stopped: Promise<Error | null>;
}

export const defaultPort = 7423;
const defaultHeartbeatMs = 25_000;
const usualDeadlines: Deadlines = {
  requestHeadersMs: limits.requestHeadersMsMax,
  requestMs: limits.requestMsMax,
  helloMs: limits.helloMsMax,
};

/**
 * Starts a broker. Resolves when it takes calls, or rejects with a sentence for people, having left nothing behind
 * (OPS-6).
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { host = "127.0.0.1", port = defaultPort, log = createLog(() => undefined) } = options;
  const hasSources = Object.keys(options.agent?.roots ?? {}).length > 0;
  const auth = chooseAuth({ ...options, host, hasSources });
  const stops = createStopList(log);
  try {
    return await startParts({ ...options, host, port, log, auth }, stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

type Resolved = BrokerOptions & { host: string; port: number; log: Log; auth: AuthMode };

async function startParts(options: Resolved, stops: ReturnType<typeof createStopList>): Promise<Broker> {
  const { host, log } = options;
  const originReader = toArrivals(options);
  // Told before anything is started; used once the home is known to be this broker's.
  if (options.tls) await readCertificate(options.tls);
  const target = await startDatabaseServer(options, stops);
  const certificate = await startCertificate(options, stops);
  const database = await openDatabase({ target });
  stops.add("database connections", database.close);
  const nodeLock = await holdAlone(options, target, {
    onLost: () => log.warn("the lock on the database was lost; nothing is served until it is held again"),
    onTaken() {
      log.error("another broker has taken over this database");
      void stops.stop(notAlone());
    },
  });
  stops.add("node lock", nodeLock.release);

  const { home } = options;
  const homeKey = await explainingPath(home, () => writeHomeKey(home));
  stops.add("home key", homeKey.remove);
  const signer = await explainingPath(home, () =>
    openAuditKey({ home, database, newKey: options.newAuditKey ?? false, log }),
  );

  let listening = "";
  const started = await startServices({
    ...options,
    database,
    signer,
    certificate,
    nodeLock,
    homeKey: homeKey.text,
    listening: () => listening,
  });
  stops.add("services", () => stopOrGiveUp(started.stopServices(), database, log));
  const services = started.meshes.main;

  const http = await createHttpServer({
    meshes: started.meshes,
    authenticator: started.authenticator,
    hosts: createHostGuard({
      listenHost: host,
      allowedHosts: options.allowedHosts ?? [],
      listening: () => listening,
      publicUrl: () => services.settings.current.public_url,
      certifiedNames: () => certificate?.current.names ?? [],
    }),
    originReader,
    certificate,
    heartbeatMs: options.heartbeatMs ?? defaultHeartbeatMs,
    deadlines: { ...usualDeadlines, ...options.deadlines },
    connectionsMax: options.connectionsMax,
    dashboard: options.dashboard,
  });
  stops.add("transports", http.stop);
  const port = await listen(http, options);
  listening = `${certificate ? "https" : "http"}://${host.includes(":") ? `[${host}]` : nameToShow(host)}:${port}`;
  stops.add("housekeeper", startHousekeeper(started.meshes, nodeLock.check));
  stops.add("parked waits", async () => started.endWaits());
  const firstInvite = await makeFirstInvite(options, services);
  const verifyingLink =
    options.auth === "open"
      ? await database.transaction(
          async (tx) => (await makeVerificationCode(tx, services, limits.firstVerificationSeconds)).link,
        )
      : null;
  log.info("broker started", { url: listening, migrations: database.migrationsRun });
  return {
    url: listening,
    mcpUrl: services.addresses.mcp(),
    port,
    loopback: isLoopback(host),
    auth: options.auth,
    firstInvite,
    verifyingLink,
    database: options.databaseUrl === undefined ? "embedded" : "external",
    migrationsRun: database.migrationsRun,
    stop: () => stops.stop(),
    stopped: stops.stopped,
  };
}

async function makeFirstInvite(
  { auth, newAdminInvite = false }: Resolved,
  services: Services,
): Promise<string | null> {
  if (auth === "open") return null;
  return newAdminInvite ? makeAdminInvite(services) : ensureFirstInvite(services);
}

function toArrivals({ trustedProxies = [] }: Resolved): OriginReader {
  try {
    return createOriginReader(trustedProxies);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new StartError("bad_setting", `A trusted proxy is not understood: ${problem}`, { cause: error });
  }
}

async function startCertificate(
  { tls, log }: Resolved,
  stops: ReturnType<typeof createStopList>,
): Promise<HeldCertificate | undefined> {
  if (!tls) return undefined;
  const { cert, key, announce, lookEveryMs } = tls;
  const certificate = await holdCertificate({ files: { cert, key }, announce, lookEveryMs, log });
  stops.add("certificate", certificate.stop);
  return certificate;
}

async function startDatabaseServer(
  options: Resolved,
  stops: ReturnType<typeof createStopList>,
): Promise<ConnectionTarget> {
  const { home, databaseUrl, log } = options;
  await explainingPath(home, () => mkdir(home, { recursive: true, mode: 0o700 }));
  await requireOwnHome(home);
  const lock = await lockHome(home);
  stops.add("home lock", lock.release);
  await clearSpool(home);
  if (databaseUrl !== undefined) return databaseUrl;
  const postgres = await startEmbeddedPostgres({
    home,
    log: (line) => log.info(line, { part: "postgres" }),
    onDown: (reason) => log.warn("the embedded PostgreSQL went down; it is being started again", { reason }),
  });
  stops.add("embedded PostgreSQL", postgres.stop);
  return postgres.connection;
}

/** Whoever may change the home, or put another in its place, has the broker do whatever they like, and sign it. */
async function requireOwnHome(home: string): Promise<void> {
  const stranger = (await findStrangerAbove(home).catch(() => null)) ?? (await findStrangerInHome(home));
  if (!stranger) return;
  throw new StartError("home_shared", `The Merkle home is its user's alone: ${describeStranger(stranger)}`);
}

/**
 * The in-process bus reaches nobody else: a second broker on the same database would deliver late. Whoever had to wait for
 * the lock took it from somebody who may not have noticed yet, and is given the time to (DB-17).
 */
async function holdAlone(
  { databaseUrl }: Resolved,
  target: ConnectionTarget,
  listeners: Parameters<typeof holdNodeLock>[1],
): Promise<NodeLock> {
  const until = performance.now() + lockNoticedMsMax;
  for (let tries = 0; performance.now() < until; tries += 1) {
    const lock = await holdNodeLock(target, listeners);
    // An embedded database has no other brokers than those of its home, which is locked already.
    if (lock && tries > 0 && databaseUrl !== undefined) await delay(lockNoticedMsMax);
    if (lock) return lock;
    await delay(50);
  }
  throw notAlone();
}

function notAlone(): StartError {
  return new StartError(
    "not_alone",
    "Another broker uses this database. Stop it first (merkle down on its machine), or give this one a DATABASE_URL of its own.",
  );
}

interface StartedServices {
  readonly meshes: Meshes;
  readonly authenticator: Authenticator;
  /** Ends parked waits as at their timeout. */
  endWaits(): void;
  stopServices(): Promise<void>;
}

interface ServicesOptions extends Resolved {
  readonly database: Database;
  readonly signer: AuditSigner;
  readonly nodeLock: NodeLock;
  readonly certificate: HeldCertificate | undefined;
  readonly homeKey: string;
  readonly listening: () => string;
}

async function startServices(options: ServicesOptions): Promise<StartedServices> {
  const { auth, log, publicUrl, databaseUrl, database, signer, nodeLock, certificate, listening } = options;
  const stopping = new AbortController();
  // Every parked wait listens.
  setMaxListeners(0, stopping.signal);
  const metrics = createMetrics();
  const settings = await loadSettings(database, publicUrl === undefined ? {} : { public_url: publicUrl });
  const bus = startInProcessBus();
  const meshChannels = createMeshChannels(createMeshOfSession(database));
  const channels = startChannels({ database, bus, mesh: meshChannels, log });
  const presence = startPresence({ database, log, onAcked: channels.announceDelivery });
  const stateAnnouncer = startStateAnnouncer({ database, channels, log });
  const indexer = startIndexer({ database, log });
  const summariser = createSummariser(options.summaries, atLevel(log, options.progressLogLevel ?? "info"));
  const workers = startWorkers({ log, entry: workerEntry() });
  const anchorer = startAnchorer({ database, workers, meshChannels, log });
  const eventLoop = watchEventLoop();
  const appender: Appender = startAppender({
    database,
    metrics,
    onFound: (sessionId, sequence) => channels.find(sessionId)?.hint(sequence),
    onPosted(posted) {
      for (const [sessionId, rows] of groupBySession(posted)) {
        channels.deliver(
          sessionId,
          rows.map((each) => toStoredMessage(each.row, each)),
        );
      }
    },
  });
  await shipPersonas(database.orm, shippedPersonas);
  const { roots, author } = options.agent ?? {};
  // Whoever configures the broker's roots has the main mesh in mind, and anybody may have made another.
  const mainSources = createSources({ roots, author, home: options.home });
  const sourcesOf = (meshId: string) => (meshId === database.meshId ? mainSources : noSources);
  const jobs: Jobs = await startJobs({
    agent: options.agent,
    database,
    sourcesOf,
    meshChannels,
    brokerUrl: listening,
    // Where everybody is let in and nobody but this machine can come, its own people have the say anyway; where strangers can
    // come, nobody is a member whom a machine could belong to.
    ...(auth === "open" && { remoteRunners: !isForOthers(options) }),
    log,
  });
  const revocations = createRevocations(database);
  const limiter = createLimiter({ rates: chooseRates(options), metrics });
  const shared = {
    version: readVersion(),
    startedAt: new Date(),
    databaseKind: databaseUrl === undefined ? ("embedded" as const) : ("external" as const),
    home: options.home,
    homeKey: options.homeKey,
    eventLoop,
    appender,
    channels,
    meshChannels,
    whenAlone: nodeLock.whenHeld,
    isAlone: () => nodeLock.isHeld,
    stateAnnouncer,
    indexer,
    anchorer,
    summariser,
    presence,
    jobs,
    settings,
    addresses: createAddresses(settings, listening),
    certificate: () => certificate?.current ?? null,
    workers,
    signer,
    records: createRecords({ database, workers, signer }),
    auth,
    limiter,
    revocations,
    onDocumentWritten: anchorer.schedule,
    furnishMesh: (tx: Transaction, meshId: string) => shipPersonas(tx, shippedPersonas, meshId),
    metrics,
    log,
    stopping: stopping.signal,
  };
  const meshes: Meshes = createMeshes(
    database,
    (ofMesh, meshName): Services => ({
      ...shared,
      database: ofMesh,
      meshName,
      mesh: meshChannels.in(ofMesh.meshId),
      credentials: createCredentials({ database: ofMesh, presence }),
      sessions: createSessionDirectory(ofMesh),
      sources: sourcesOf(ofMesh.meshId),
    }),
  );
  const authenticator = createAuthenticator({ auth, meshes, revocations, limiter, database });
  return {
    meshes,
    authenticator,
    endWaits: () => stopping.abort(),
    async stopServices() {
      await jobs.stop();
      revocations.stop();
      await appender.stop();
      await stateAnnouncer.stop();
      await indexer.stop();
      await anchorer.stop();
      await summariser.stop();
      await presence.stop();
      channels.stop();
      meshChannels.stop();
      await bus.stop();
      await workers.stop();
      eventLoop.stop();
    },
  };
}

/**
 * Whatever a service still waits for as it stops is an answer of the database. One that gives none is given up after the time
 * after which calls give it up, too: without its connections everything that waits for it ends.
 */
async function stopOrGiveUp(stopped: Promise<void>, database: Database, log: Log): Promise<void> {
  if (await endsWithin(stopped, limits.silentDatabaseMsMax)) return;
  log.warn("the database gives no answer while the broker stops; what was not saved is given up");
  await database.close();
  if (await endsWithin(stopped, limits.silentDatabaseMsMax)) return;
  log.error("stopping has not ended without the database either; it is not waited for any longer");
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const tooLate = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: tooLate.signal })]);
  } finally {
    tooLate.abort();
  }
}

function chooseRates(options: Resolved): Partial<RateLimits> | "off" {
  return options.rateLimits ?? (isForOthers(options) ? {} : "off");
}

function isForOthers({ auth, host, trustedProxies = [] }: Resolved): boolean {
  return auth === "invite" || !isLoopback(host) || trustedProxies.length > 0;
}

function groupBySession(posted: readonly PostedRow[]): Map<string, PostedRow[]> {
  const groups = new Map<string, PostedRow[]>();
  for (const each of posted) {
    const group = groups.get(each.row.session_id);
    if (group) group.push(each);
    else groups.set(each.row.session_id, [each]);
  }
  return groups;
}

async function listen({ server }: HttpServer, { host, port }: Resolved): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explainListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  // A server that listens on a port, not on a pipe, has an address of this form.
  return (server.address() as AddressInfo).port;
}

function explainListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new StartError(
      "port_in_use",
      `Port ${port} on ${host} is in use. Stop what uses it (perhaps merkle down), or choose another with --port.`,
      { cause: error },
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" || error.code === "EACCES") {
    return new StartError(
      "bad_address",
      `Cannot listen on ${host}:${port} (${error.code}). Choose an address of this machine with --host, and a port above 1023.`,
      { cause: error },
    );
  }
  return error;
}

/** What people type: localhost rather than 127.0.0.1, and for a wildcard this machine. */
function nameToShow(host: string): string {
  return isLoopback(host) || host === "0.0.0.0" ? "localhost" : host;
}
