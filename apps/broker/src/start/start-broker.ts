import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import {
  acquireNodeLock,
  type ConnectionTarget,
  type Database,
  explainFailedStatement,
  findDatabaseErrorCode,
  isConnectionLost,
  isOutOfResources,
  listTornDocuments,
  lockNoticedMsMax,
  type NodeLock,
  type OpenDatabaseOptions,
  openDatabase,
  repairTornDocument,
} from "@merkle/db";
import { explainPathErrors, lockHome, startEmbeddedPostgres } from "@merkle/db/embedded";
import {
  describePermissionProblem,
  findPermissionProblemAbove,
  findPermissionProblemInHome,
} from "@merkle/db/files";
import { limits } from "@merkle/wire/limits";
import { openAlertKey } from "../core/alert-key.js";
import { startBus } from "../core/bus/start-bus.js";
import { createLog, type Log } from "../core/log.js";
import { startNode } from "../core/nodes.js";
import { createRepeatedTasks } from "../core/repeated-tasks.js";
import { loadSettings, type SettingsStore } from "../core/settings-store.js";
import { StartError } from "../core/start-error.js";
import { createStopList } from "../core/stop-list.js";
import { readVersion } from "../core/version.js";
import {
  type AllServices,
  checkOptions,
  describeOptions,
  findMetadataUrl,
  mounts,
  type OptionFacts,
  opensFiles,
} from "../features.js";
import { openAuditKey } from "../identity/audit-key/audit-key.js";
import { ensureFirstInvite, makeAdminInvite } from "../identity/invites/manage-invites.js";
import { type AuthMode, chooseAuth, describeReach, isLoopbackUrl } from "../identity/origin/auth-mode.js";
import { createHostGuard } from "../identity/origin/hosts.js";
import { createOriginReader, type OriginReader } from "../identity/origin/request-origin.js";
import { makeVerificationCode, writeHomeKey } from "../identity/persons/verification.js";
import { createHttpServer, type Deadlines } from "../transports/http-server.js";
import type { Meshes } from "../transports/services.js";
import { readCertificate } from "../transports/tls/certificate.js";
import { type HeldCertificate, holdCertificate } from "../transports/tls/hold-certificate.js";
import type { BrokerOptions, PreparedOptions, ResolvedOptions } from "./broker-options.js";
import { startHousekeeper } from "./housekeeper.js";
import { startIndexBuild } from "./index-build.js";
import { findLocalhostOccupant, listen, requireFreePort, toDisplayHost, toNodeHost } from "./listen.js";
import { startServices } from "./start-services.js";
import { writeBackupBefore } from "./upgrade-home.js";

export interface StartedBroker extends OptionFacts {
  /** The address that the broker listens on. */
  readonly url: string;
  /** The MCP endpoint for agents. */
  readonly mcpUrl: string;
  readonly port: number;
  /**
   * Another program at the same port of [::1], to which `localhost` may resolve. The broker's addresses then
   * contain 127.0.0.1 instead.
   */
  readonly localhostTakenBy: string | null;
  /**
   * The base64 SHA-256 of the certificate's public key, for curl's `--pinnedpubkey`. Null without TLS, or if
   * a public authority signed the certificate.
   */
  readonly keyPin: string | null;
  readonly isLoopback: boolean;
  readonly auth: AuthMode;
  /**
   * In invite mode, an invite link for an admin, if there is no admin yet or the link was requested.
   * Otherwise null.
   */
  readonly firstInvite: string | null;
  /**
   * In open mode, a dashboard link that verifies one person. Otherwise null, since members are already
   * verified.
   */
  readonly verifyingLink: string | null;
  readonly database: "embedded" | "external";
  readonly migrationsRun: number;
  /** Path of the backup that was written before the first migration. Null if no migration ran or there was no data. */
  readonly backup: string | null;
  /**
   * Ends running calls and connections gracefully, and leaves nothing running. Further calls to `stop` do
   * nothing.
   */
  stop(): Promise<void>;
  /** Resolves once the broker has stopped. The value is the problem that stopped it, or null. */
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
 * Starts a broker. Resolves once the broker accepts calls. On failure, rejects with a message for people and
 * leaves nothing behind (OPS-6).
 */
export async function startBroker(options: BrokerOptions): Promise<StartedBroker> {
  const { host = "127.0.0.1", port = defaultPort, log = createLog(() => undefined) } = options;
  const prepared = { ...options, host, port, log };
  // Refuses contradictory options before anything is started.
  chooseAuth({ ...prepared, hasSources: opensFiles(prepared) });
  const stops = createStopList(log);
  try {
    return await startParts(prepared, stops);
  } catch (error) {
    await stops.stop();
    throw explainFailedStart(error, options);
  }
}

/**
 * Builds the error for a database that opened but then failed while the rest of the broker started (DB-9).
 */
function explainFailedStart(error: unknown, { databaseUrl, home }: BrokerOptions): unknown {
  const code = findDatabaseErrorCode(error);
  const where = databaseUrl === undefined ? home : "its server";
  if (isOutOfResources(error))
    return new StartError(
      "database_full",
      `No space is left for the database (${code}). Free some space in ${where}, or set MERKLE_HOME to a folder on another disk.`,
      { cause: error },
    );
  // A missing file has the same error code as a missing socket, so the system call is checked too.
  const { syscall } = Object(error);
  const isAboutFile = syscall !== undefined && syscall !== "connect";
  if (isConnectionLost(error) && !isAboutFile)
    return new StartError(
      "database_lost",
      `The database failed while the broker was starting (${code}). Its disk may be full: free some space in ${where}, then start Merkle again.`,
      { cause: error },
    );
  return explainFailedStatement(error);
}

async function startParts(
  prepared: PreparedOptions,
  stops: ReturnType<typeof createStopList>,
): Promise<StartedBroker> {
  const { host, log } = prepared;
  const originReader = toOriginReader(prepared);
  const replica = toReplica(prepared);
  checkOptions(prepared);
  // Checked before anything is started. The certificate is used only once the home is locked.
  if (prepared.tls) await readCertificate(prepared.tls);
  const target = await startDatabaseServer(prepared, stops);
  const certificate = await startCertificate(prepared, stops);
  let backup: string | null = null;
  let meshes: Meshes<AllServices> | null = null;
  const database = await openDatabase({
    target,
    replica,
    async beforeMigrating([first = ""]) {
      backup = await writeBackupBefore(prepared.home, target, first);
      log.info("backed up before the first migration", { file: backup });
    },
  });
  stops.add("database connections", database.close);
  const settings = await loadSettings(database, { public_url: prepared.publicUrl ?? null });
  const options = resolveOptions(prepared, settings);
  const nodeLock = await waitForNodeLock(options, target, {
    onLost() {
      log.warn("the lock on the database was lost; the broker serves nothing until it has the lock again");
      meshes?.clearCaches();
    },
    onTaken() {
      log.error("another broker has taken over this database");
      void stops.stop(notAlone());
    },
  });
  stops.add("node lock", nodeLock.release);
  await repairDocuments(database, log);

  const { home } = options;
  const homeKey = await explainPathErrors(home, () => writeHomeKey(home));
  stops.add("home key", homeKey.remove);
  const signer = await explainPathErrors(home, () =>
    openAuditKey({
      home,
      keyFile: options.auditKeyFile,
      database,
      shouldCreateKey: options.newAuditKey ?? false,
      log,
    }),
  );

  const nodeId = randomUUID();
  const bus = await startBus({
    address: options.bus ?? "local",
    target,
    brokerId: database.brokerId,
    nodeId,
    secret: signer.deriveSecret("bus"),
    log,
  });
  stops.add("bus", bus.stop);
  const shared =
    bus.kind === "local" ? undefined : { orm: database.orm, secret: signer.deriveSecret("alert key") };
  const alertKey = await explainPathErrors(home, () => openAlertKey(home, shared));
  const tasks = createRepeatedTasks(log);
  const nodes = await startNode({
    id: nodeId,
    database,
    bus,
    tasks,
    version: readVersion(),
    auditKey: signer.keys.at(-1)?.key_id ?? "",
  });
  stops.add("node", nodes.stop);

  let listeningUrl = "";
  const started = await startServices({
    ...options,
    settings,
    isLoopbackOnly: isLoopbackOnly(options),
    database,
    signer,
    alertKey,
    certificate,
    nodeLock,
    bus,
    nodes,
    tasks,
    homeKey: homeKey.text,
    getListeningUrl: () => listeningUrl,
  });
  ({ meshes } = started);
  stops.add("services", () => stopOrGiveUp(started.stopServices(), database, log));
  const services = started.meshes.main;

  const http = await createHttpServer({
    meshes: started.meshes,
    authenticator: started.authenticator,
    hosts: createHostGuard({
      listenHost: host,
      allowedHosts: options.allowedHosts ?? [],
      getListeningUrl: () => listeningUrl,
      findPublicUrl: () => findServedUrl(options, settings),
      listCertifiedNames: () => certificate?.current.names ?? [],
    }),
    originReader,
    mounts,
    findMetadataUrl: (path) => (options.auth === "open" ? null : findMetadataUrl(services, path)),
    certificate,
    heartbeatMs: options.heartbeatMs ?? defaultHeartbeatMs,
    deadlines: { ...usualDeadlines, ...options.deadlines },
    connectionsMax: options.connectionsMax,
    dashboard: options.dashboard,
    pageBuild: options.pageBuild,
    packCli: options.packCli,
  });
  stops.add("transports", http.stop);
  const port = await listen(http, options);
  const toUrl = (name: string) =>
    `${certificate ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
  const localhostTakenBy = await findLocalhostOccupant(host, port);
  listeningUrl = toUrl(localhostTakenBy === null ? toDisplayHost(host) : "127.0.0.1");
  stops.add("housekeeper", startHousekeeper(started.meshes, nodeLock.check));
  stops.add("index build", startIndexBuild(target, log));
  stops.add("parked waits", async () => started.endWaits());
  await nodes.announce(toUrl(toNodeHost(host)));
  const firstInvite = await makeFirstInvite(options, services);
  const verifyingLink =
    options.auth === "open"
      ? await database.transaction(
          async (tx) => (await makeVerificationCode(tx, services, limits.firstVerificationSeconds)).link,
        )
      : null;
  const facts = describeOptions(options);
  log.info("broker started", { url: listeningUrl, ...facts, migrations: database.migrationsRun });
  return {
    url: listeningUrl,
    mcpUrl: services.addresses.getMcpUrl(),
    port,
    localhostTakenBy,
    keyPin: certificate?.current.keyPin ?? null,
    isLoopback: describeReach(options) === null,
    auth: options.auth,
    firstInvite,
    verifyingLink,
    database: options.databaseUrl === undefined ? "embedded" : "external",
    migrationsRun: database.migrationsRun,
    backup,
    ...facts,
    stop: () => stops.stop(),
    stopped: stops.stopped,
  };
}

/**
 * Repairs documents that differ from their history. Earlier versions of the broker could cause such
 * differences.
 */
async function repairDocuments(database: Database, log: Log): Promise<void> {
  for (const { sessionId, slug, version, newest } of await listTornDocuments(database.orm)) {
    await database.transaction((tx) => repairTornDocument(tx, sessionId));
    log.warn("a document differed from its history and was set to its newest version", {
      session: slug,
      version,
      newest,
    });
  }
}

/** Applies the stored settings. A stored public URL counts as one of the options and so affects the mode (AUTH-5). */
function resolveOptions(prepared: PreparedOptions, { current }: SettingsStore): ResolvedOptions {
  const publicUrl = current.public_url ?? undefined;
  const auth = chooseAuth({ ...prepared, publicUrl, hasSources: opensFiles(prepared) });
  return { ...prepared, publicUrl, auth };
}

function isLoopbackOnly({ auth, insecureOpen = false }: ResolvedOptions): boolean {
  return auth === "open" && !insecureOpen;
}

/**
 * Returns the public URL whose host requests may name. Another node, in invite mode, may have stored a URL for
 * other machines. If this node is in open mode, it does not accept requests for that URL.
 */
function findServedUrl(options: ResolvedOptions, { current }: SettingsStore): string | null {
  const url = current.public_url;
  return url !== null && isLoopbackOnly(options) && !isLoopbackUrl(url) ? null : url;
}

async function makeFirstInvite(
  { auth, newAdminInvite = false }: ResolvedOptions,
  services: AllServices,
): Promise<string | null> {
  if (auth === "open") return null;
  return newAdminInvite ? makeAdminInvite(services) : ensureFirstInvite(services);
}

function toOriginReader({ trustedProxies = [] }: PreparedOptions): OriginReader {
  try {
    return createOriginReader(trustedProxies);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new StartError("bad_setting", `The address of a trusted proxy is not valid: ${problem}`, {
      cause: error,
    });
  }
}

async function startCertificate(
  { tls, log }: PreparedOptions,
  stops: ReturnType<typeof createStopList>,
): Promise<HeldCertificate | undefined> {
  if (!tls) return undefined;
  const { cert, key, announce, pollIntervalMs } = tls;
  const certificate = await holdCertificate({ files: { cert, key }, announce, pollIntervalMs, log });
  stops.add("certificate", certificate.stop);
  return certificate;
}

/**
 * Returns the options for the read replica.
 *
 * @throws StartError `bad_setting` if there is no database that a replica could belong to
 */
function toReplica({ databaseUrl, databaseReadUrl, log }: PreparedOptions): OpenDatabaseOptions["replica"] {
  if (databaseReadUrl === undefined) return undefined;
  if (databaseUrl === undefined) {
    throw new StartError(
      "bad_setting",
      "DATABASE_READ_URL is set but DATABASE_URL is not, and the embedded database has no replicas. Set both, or unset DATABASE_READ_URL.",
    );
  }
  return {
    target: databaseReadUrl,
    onState(state, error) {
      if (state === "used") log.info("the read replica is used");
      else log.warn("the read replica is not used; all reads go to the primary", { replica: state, error });
    },
  };
}

async function startDatabaseServer(
  options: PreparedOptions,
  stops: ReturnType<typeof createStopList>,
): Promise<ConnectionTarget> {
  const { home, databaseUrl, log } = options;
  await explainPathErrors(home, () => mkdir(home, { recursive: true, mode: 0o700 }));
  await requireOwnHome(home);
  const lock = await lockHome(home);
  stops.add("home lock", lock.release);
  await requireFreePort(options);
  if (databaseUrl !== undefined) return databaseUrl;
  const postgres = await startEmbeddedPostgres({
    home,
    log: (line) => log.info(line, { part: "postgres" }),
    onDown: (reason) => log.warn("the embedded PostgreSQL went down; it is being started again", { reason }),
  });
  stops.add("embedded PostgreSQL", postgres.stop);
  return postgres.connection;
}

/** Refuses a home that other users can change or replace, because they could make the broker do and sign anything. */
async function requireOwnHome(home: string): Promise<void> {
  const unsafePermissions =
    (await findPermissionProblemAbove(home).catch(() => null)) ?? (await findPermissionProblemInHome(home));
  if (!unsafePermissions) return;
  throw new StartError(
    "home_shared",
    `The Merkle home must be accessible only to its user: ${describePermissionProblem(unsafePermissions)}`,
  );
}

/**
 * Waits for the services to stop. At this point, the services wait only for the database. If the database
 * does not respond in time, its connections are closed, which ends every wait.
 */
async function stopOrGiveUp(stopped: Promise<void>, database: Database, log: Log): Promise<void> {
  if (await endsWithin(stopped, limits.silentDatabaseMsMax)) return;
  log.warn("the database does not respond while the broker stops; data that is not saved yet is dropped");
  await database.close();
  if (await endsWithin(stopped, limits.silentDatabaseMsMax)) return;
  log.error("stopping takes too long even without the database; the broker does not wait any longer");
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const tooLate = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: tooLate.signal })]);
  } finally {
    tooLate.abort();
  }
}

/**
 * Locks the database for this node. Without a bus, a second broker would deliver messages late, so the lock is
 * exclusive. Nodes with a bus share the lock, which keeps out nodes without a bus. A node that had to wait may
 * have taken the lock from a node that has not noticed yet. It then waits long enough for that node to have
 * noticed (DB-17).
 */
async function waitForNodeLock(
  { databaseUrl, bus = "local" }: PreparedOptions,
  target: ConnectionTarget,
  listeners: { readonly onLost: () => void; readonly onTaken: () => void },
): Promise<NodeLock> {
  const isShared = bus !== "local";
  const until = performance.now() + lockNoticedMsMax;
  for (let tries = 0; performance.now() < until; tries += 1) {
    const lock = await acquireNodeLock(target, { shared: isShared, ...listeners });
    // The embedded database needs no delay, because only a broker with the same home can use it, and the home
    // is already locked.
    if (lock && tries > 0 && databaseUrl !== undefined) await delay(lockNoticedMsMax);
    if (lock) return lock;
    await delay(50);
  }
  throw notAlone();
}

function notAlone(): StartError {
  return new StartError(
    "not_alone",
    "Another broker uses this database. Stop it first (merkle down on its machine), give this broker its own DATABASE_URL, or start both with the same MERKLE_BUS.",
  );
}
