import { setMaxListeners } from "node:events";
import { type Database, measureDatabase, type NodeLock } from "@merkle/db";
import { createAddresses } from "../core/addresses.js";
import type { AlertKey } from "../core/alert-key.js";
import type { Bus } from "../core/bus/bus.js";
import { createForeground } from "../core/foreground.js";
import { createMetrics } from "../core/metrics.js";
import type { Nodes } from "../core/nodes.js";
import type { RepeatedTasks } from "../core/repeated-tasks.js";
import type { SettingsStore } from "../core/settings-store.js";
import { createStopList, type StopList } from "../core/stop-list.js";
import { startTraces } from "../core/traces.js";
import { createTurns } from "../core/turns.js";
import { readVersion } from "../core/version.js";
import { watchEventLoop } from "../core/watch-event-loop.js";
import { startWorkers } from "../core/workers/workers.js";
import { type AllServices, handlers, hooks, seedMesh, startFeatures, startInMesh } from "../features.js";
import { type Appender, startAppender } from "../feed/appender.js";
import { startChannels } from "../feed/delivery/channels.js";
import { createMeshChannels } from "../feed/delivery/mesh-channel.js";
import { traceCommits, tracePosted, tracePosts } from "../feed/trace-appender.js";
import { createWaitSignals } from "../feed/wait-signal.js";
import { createWakePeers } from "../feed/wake-peers.js";
import type { AuditSigner } from "../identity/audit-key/audit-key.js";
import { createAuthenticator } from "../identity/authenticator/authenticator.js";
import { createLimiter } from "../identity/limits/limiter.js";
import { createQuotas } from "../identity/limits/quotas.js";
import { createShares } from "../identity/limits/shares.js";
import { createMeshes, createMeshLookup } from "../identity/meshes/meshes.js";
import { createRevocationWatcher } from "../identity/revocations.js";
import { createSessionDirectory } from "../identity/session-directory.js";
import { createCredentials } from "../sessions/access/credentials.js";
import { startPresence } from "../sessions/peers/presence.js";
import type { Authenticator, Meshes } from "../transports/services.js";
import type { HeldCertificate } from "../transports/tls/hold-certificate.js";
import { chooseRates, isForOthers, type ResolvedOptions } from "./broker-options.js";
import { getWorkerEntry } from "./worker-entry.js";

interface StartedServices {
  readonly meshes: Meshes<AllServices>;
  readonly authenticator: Authenticator<AllServices>;
  /** Ends all parked waits as if they had timed out. */
  endWaits(): void;
  stopServices(): Promise<void>;
}

type ServicesOptions = Omit<ResolvedOptions, "bus"> & {
  readonly settings: SettingsStore;
  readonly isLoopbackOnly: boolean;
  readonly database: Database;
  readonly signer: AuditSigner;
  readonly alertKey: AlertKey;
  readonly nodeLock: NodeLock;
  readonly bus: Bus;
  readonly nodes: Nodes;
  readonly tasks: RepeatedTasks;
  readonly certificate: HeldCertificate | undefined;
  readonly homeKey: string;
  readonly getListeningUrl: () => string;
};

/**
 * Starts the services of the core, from its lowest folder to its highest, and then those of the features. If a
 * service fails to start, the services started before it are stopped.
 */
export async function startServices(options: ServicesOptions): Promise<StartedServices> {
  const stops = createStopList(options.log);
  try {
    return await startEach(options, stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function startEach(options: ServicesOptions, stops: StopList): Promise<StartedServices> {
  const {
    auth,
    isLoopbackOnly,
    log,
    settings,
    databaseUrl,
    database,
    signer,
    nodeLock,
    certificate,
    getListeningUrl,
  } = options;
  const { bus, nodes, tasks } = options;
  const stopping = new AbortController();
  // Each alert being sent adds a listener, so Node's warning about many listeners is switched off.
  setMaxListeners(0, stopping.signal);
  const version = readVersion();
  const metrics = createMetrics({
    id: nodes.id,
    version,
    bus,
    measureDatabaseBytes: () => measureDatabase(database.orm),
    replica: database.replica,
  });
  const eventLoop = watchEventLoop();
  stops.add("event loop watch", eventLoop.stop);
  const workers = startWorkers({ log, entry: getWorkerEntry() });
  stops.add("workers", workers.stop);
  const meshChannels = createMeshChannels(createMeshLookup(database), bus);
  stops.add("mesh channels", meshChannels.stop);
  const channels = startChannels({ database, bus, mesh: meshChannels, metrics, log });
  stops.add("channels", channels.stop);
  bus.on("settings", settings.reload);
  const presence = startPresence({ database, bus, nodes, log, onAcked: channels.announceDelivery });
  stops.add("presence", presence.stop);
  const wakePeers = createWakePeers({ database, bus, nodes, presence, log });
  stops.add("wakes of peers", wakePeers.stop);
  const traces =
    options.tracesUrl === undefined
      ? null
      : await startTraces({ url: options.tracesUrl, node: nodes.id, version, bus });
  if (traces) stops.add("traces", traces.stop);
  const untracedAppender = startAppender({
    database: traces ? traceCommits(database, traces) : database,
    metrics,
    onDuplicate: (sessionId, sequence) => channels.find(sessionId)?.hint(sequence),
    onPosted: traces ? tracePosted(channels.deliverPosted, traces) : channels.deliverPosted,
  });
  stops.add("appender", untracedAppender.stop);
  const appender: Appender = traces ? tracePosts(untracedAppender, traces) : untracedAppender;
  const revocations = createRevocationWatcher(database, bus);
  stops.add("revocations", revocations.stop);
  const quotas = createQuotas(database);
  await quotas.measure();
  bus.on("settings", quotas.measure);
  const limiter = createLimiter({ rates: chooseRates(options), metrics });
  const started = await startFeatures({
    options,
    home: options.home,
    database,
    bus,
    nodes,
    tasks,
    workers,
    metrics,
    log,
    channels,
    meshChannels,
    signer,
    getListeningUrl,
    auth,
    isForOthers: isForOthers(options),
    stopping: stopping.signal,
    getMeshes: () => meshes,
    stops,
  });
  const shared = {
    ...started,
    handlers,
    hooks,
    version,
    startedAt: new Date(),
    databaseKind: databaseUrl === undefined ? ("embedded" as const) : ("external" as const),
    home: options.home,
    homeKey: options.homeKey,
    bus,
    nodes,
    tasks,
    turns: nodes.isAlone ? null : createTurns(),
    eventLoop,
    appender,
    channels,
    traces,
    meshChannels,
    waitUntilAlone: nodeLock.waitUntilHeld,
    isAlone: () => nodeLock.isHeld,
    presence,
    wakePeers,
    waitSignals: createWaitSignals(stopping.signal),
    settings,
    addresses: createAddresses(settings, getListeningUrl, () => certificate?.current ?? null),
    findCertificate: () => certificate?.current ?? null,
    workers,
    signer,
    alertKey: options.alertKey,
    auth,
    isLoopbackOnly,
    limiter,
    quotas,
    shares: createShares(),
    foreground: createForeground(),
    revocations,
    seedMesh,
    metrics,
    log,
    stopping: stopping.signal,
  };
  const meshes: Meshes<AllServices> = createMeshes(
    database,
    (ofMesh, meshName): AllServices => ({
      ...shared,
      database: ofMesh,
      meshName,
      mesh: meshChannels.get(ofMesh.meshId),
      credentials: createCredentials({ database: ofMesh, presence, bus }),
      sessions: createSessionDirectory(ofMesh),
      ...startInMesh(started, ofMesh.meshId),
    }),
  );
  bus.on("feed", ({ session, closed }) => closed && meshes.invalidateSession(session));
  bus.on("changed", ({ session, kind }) => kind === "session" && meshes.invalidateSession(session));
  const authenticator = createAuthenticator({ auth, meshes, revocations, limiter, database });
  return {
    meshes,
    authenticator,
    endWaits: () => stopping.abort(),
    stopServices: () => stops.stop(),
  };
}
