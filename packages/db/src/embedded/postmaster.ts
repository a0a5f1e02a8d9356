import { isConnectionLost } from "../core/database-error.js";
import { isPosix } from "../files/platform.js";
import { type Binaries, toProgramPath } from "./binaries.js";
import { type Endpoint, resolveEndpoint } from "./endpoint.js";
import { EmbeddedPostgresError, findErrorCode } from "./error.js";
import { type Cluster, launch } from "./launch.js";
import {
  isPostmaster,
  isServerRunning,
  type PostmasterFile,
  readPostmasterFile,
  removeStaleLocks,
} from "./postmaster-file.js";
import { probe } from "./probe.js";
import { runProgram } from "./run-program.js";

/** A server that accepts connections. Either this process started it, or it was already running. */
export interface Postmaster {
  pid: number;
  endpoint: Endpoint;
  wasAdopted: boolean;
  /** Resolves when the server process has exited. */
  exited: Promise<void>;
}

/** How long to wait for the processes left by another server to exit. */
const OBTAIN_MS_MAX = 30_000;
const RETRY_MS_MIN = 20;
const RETRY_MS_MAX = 250;
/**
 * How often to poll a server that is not a child of this process. Waiting for a connection to close would
 * react faster. However, a connection also closes when a backend crashes or is terminated, takes one of the
 * slots for clients, and must be renewed. Checking a pid takes microseconds, and clients need longer than
 * this interval to reconnect.
 */
const WATCH_EVERY_MS = 100;
const FAST_SHUTDOWN_MS_MAX = 30_000;

/**
 * Returns this cluster's server once it is ready, whether it was already running or is started now. Waits for
 * a server that is starting or shutting down, and for the processes that a killed server left.
 */
export async function obtainPostmaster(cluster: Cluster, log: (line: string) => void): Promise<Postmaster> {
  const began = Date.now();
  const { data } = cluster.paths;
  while (true) {
    const running = await findRunning(cluster, log);
    const postmaster = running ? await adopt(cluster, running, log) : await start(cluster);
    if (postmaster) return postmaster;
    if (Date.now() - began > OBTAIN_MS_MAX) {
      if (!running) {
        throw new EmbeddedPostgresError(
          "start_failed",
          `PostgreSQL started and exited repeatedly for ${OBTAIN_MS_MAX / 1000} seconds. Check its log, logs/postgres.log in the Merkle home.`,
        );
      }
      throw new EmbeddedPostgresError(
        "start_timeout",
        `Another PostgreSQL process has been using the database in ${data} for ${OBTAIN_MS_MAX / 1000} seconds (pid ${running.pid}, ${running.status}). Stop that process, then try again.`,
      );
    }
    await pause(Math.min(RETRY_MS_MIN + (Date.now() - began) / 10, RETRY_MS_MAX));
  }
}

/** Stops the server without waiting for its clients. Resolves when the server process has exited. */
export async function shutDown(postmaster: Postmaster, data: string, binaries: Binaries): Promise<void> {
  if (!isPosix()) {
    // Windows has no signals, so pg_ctl stops the server.
    await runProgram(toProgramPath(binaries.folder, "pg_ctl"), [
      "stop",
      "--mode=fast",
      `--pgdata=${data}`,
      "--silent",
    ]);
    return postmaster.exited;
  }
  signal(postmaster.pid, "SIGINT");
  // A backend that takes longer than this is stuck. Crash recovery will restore unwritten data from the WAL
  // at the next start.
  const impatient = setTimeout(() => signal(postmaster.pid, "SIGQUIT"), FAST_SHUTDOWN_MS_MAX);
  await postmaster.exited.finally(() => clearTimeout(impatient));
}

async function findRunning(
  cluster: Cluster,
  log: (line: string) => void,
): Promise<PostmasterFile | undefined> {
  const { data } = cluster.paths;
  const running = await readPostmasterFile(data);
  if (!running) return undefined;
  if (await isPostmaster(running.pid, data)) return running;
  if (canSignal(running.pid)) {
    log(`postmaster.pid names process ${running.pid}, which is not PostgreSQL; the file is removed`);
    const { endpoint } = cluster;
    await removeStaleLocks(data, endpoint.kind === "socket" ? endpoint : undefined);
  }
  return undefined;
}

/**
 * Returns the running server, or undefined if it cannot be used yet because it is starting or stopping. A
 * server that no client can reach is stopped.
 */
async function adopt(
  cluster: Cluster,
  running: PostmasterFile,
  log: (line: string) => void,
): Promise<Postmaster | undefined> {
  if (running.status !== "ready") return undefined;
  const endpoint = resolveEndpoint(running, cluster.endpoint, cluster.paths);
  const servedData = await tryProbe(endpoint);
  if (servedData === "changing") return undefined;
  if (servedData === cluster.paths.data) {
    log(`adopted the PostgreSQL server that was running, pid ${running.pid}`);
    return { pid: running.pid, endpoint, wasAdopted: true, exited: pollForExit(running.pid) };
  }
  if (servedData === "unreachable" && (await isPostmaster(running.pid, cluster.paths.data))) {
    // The server has this cluster's data, but its socket file was deleted, so no client can connect to it.
    log(`the PostgreSQL server with pid ${running.pid} cannot be reached; it is restarted`);
    signal(running.pid, "SIGINT");
    await pollForExit(running.pid);
  }
  return undefined;
}

/** Starts a server. Returns undefined if it gave way to another server, or died right after its start. */
async function start(cluster: Cluster): Promise<Postmaster | undefined> {
  const launched = await launch(cluster);
  if (!launched) return undefined;
  const exited = launched.exited ?? pollForExit(launched.pid);
  const postmaster = { pid: launched.pid, endpoint: cluster.endpoint, wasAdopted: false, exited };
  try {
    await probe(cluster.endpoint);
    return postmaster;
  } catch (error) {
    await shutDown(postmaster, cluster.paths.data, cluster.binaries);
    if (isConnectionLost(error)) return undefined;
    throw error;
  }
}

/** Returns the data directory of the server at this address, or the reason why there was no reply. */
async function tryProbe(endpoint: Endpoint): Promise<string> {
  try {
    return await probe(endpoint);
  } catch (error) {
    const code = findErrorCode(error) ?? "";
    if (code === "ENOENT" || code === "ECONNREFUSED") return "unreachable";
    if (isConnectionLost(error)) return "changing";
    throw error;
  }
}

function pollForExit(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      if (isServerRunning(pid)) return;
      clearInterval(watch);
      resolve();
    }, WATCH_EVERY_MS);
    watch.unref();
  });
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (findErrorCode(error) !== "ESRCH") throw error;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
