import { type ChildProcess, spawn } from "node:child_process";
import { isPosix, toArgument } from "../files/platform.js";
import { type Binaries, toProgramPath } from "./binaries.js";
import type { Endpoint } from "./endpoint.js";
import { EmbeddedPostgresError, explainText, USE_YOUR_OWN } from "./error.js";
import { logPath, openLog, readLogAfter } from "./log-file.js";
import { makePrivateFolder, type ServerPaths } from "./place.js";
import { readPostmasterFile } from "./postmaster-file.js";
import { createProgramEnvironment, runProgram, toSpawnIdentity } from "./run-program.js";
import { buildSettings } from "./settings.js";

/** A cluster and everything needed to run it. */
export interface Cluster {
  paths: ServerPaths;
  binaries: Binaries;
  endpoint: Endpoint;
  connectionsMax: number;
}

/** A server that this process started and that accepts connections. */
export interface LaunchedServer {
  pid: number;
  /** Resolves when the server process has exited. Undefined on Windows, where callers must poll the pid. */
  exited: Promise<void> | undefined;
}

/**
 * Maximum duration of a start. max_wal_size limits the time that crash recovery takes, so a server that takes
 * longer is stuck.
 */
const STARTING_MS_MAX = 5 * 60_000;
const CHECK_EVERY_MS = 10;

/**
 * Starts the server and waits until it is ready. Returns undefined if the server exited for a temporary
 * reason: it was killed, or processes left by another server still use the data. The caller then checks again
 * which server is running.
 *
 * @throws EmbeddedPostgresError with the end of the server's log, if the server exited for any other reason
 */
export async function launch(cluster: Cluster): Promise<LaunchedServer | undefined> {
  return isPosix() ? launchDirectly(cluster) : launchByPgCtl(cluster);
}

/**
 * Starts the server in a separate process group, so that Ctrl-C in the terminal does not reach it. The log is
 * passed as an open file, so that the server can outlive this process. The server does not keep this process
 * alive.
 */
async function launchDirectly(cluster: Cluster): Promise<LaunchedServer | undefined> {
  const { paths, binaries, endpoint } = cluster;
  // The folder may be temporary, and may have been deleted since the last start.
  if (endpoint.kind === "socket") await makePrivateFolder(endpoint.folder, paths.user);
  const log = await openLog(paths.home);
  try {
    const offset = (await log.stat()).size;
    const child = spawn(
      toProgramPath(binaries.folder, "postgres"),
      ["-D", paths.data, ...toServerArgs(cluster)],
      {
        cwd: paths.data,
        env: createProgramEnvironment(),
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        ...toSpawnIdentity(paths.user),
      },
    );
    child.unref();
    const exited = waitForExit(child);
    if (await waitUntilReady(child, exited, paths.data)) return { pid: child.pid ?? 0, exited };
    // Something killed the server. The next attempt may still succeed.
    if (child.signalCode === "SIGKILL") return undefined;
    return judge(cluster, await readLogAfter(paths.home, offset));
  } finally {
    await log.close();
  }
}

/**
 * Starts the server with pg_ctl, for Windows. pg_ctl drops administrator rights, with which the server would
 * refuse to start.
 */
async function launchByPgCtl(cluster: Cluster): Promise<LaunchedServer | undefined> {
  const { paths, binaries } = cluster;
  const log = await openLog(paths.home);
  const offset = (await log.stat()).size;
  await log.close();
  const started = await runProgram(toProgramPath(binaries.folder, "pg_ctl"), [
    "start",
    "--wait",
    "--silent",
    `--timeout=${STARTING_MS_MAX / 1000}`,
    `--pgdata=${paths.data}`,
    `--log=${logPath(paths.home)}`,
    `--options=${toServerArgs(cluster).join(" ")}`,
  ]);
  const running = await readPostmasterFile(paths.data);
  if (started.code === 0 && running) return { pid: running.pid, exited: undefined };
  return judge(cluster, `${started.output}\n${await readLogAfter(paths.home, offset)}`);
}

function toServerArgs({ endpoint, connectionsMax }: Cluster): string[] {
  const settings = Object.entries(buildSettings(endpoint, connectionsMax));
  return settings.flatMap(([name, value]) => ["-c", `${name}=${toArgument(value)}`]);
}

function waitForExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    // The program could not be started. The log is then empty, and `judge` reports that.
    child.once("error", () => resolve());
  });
}

/** Resolves to true once the server has reported that it is ready, or to false if the server exits first. */
async function waitUntilReady(child: ChildProcess, exited: Promise<void>, data: string): Promise<boolean> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  const deadline = Date.now() + STARTING_MS_MAX;
  while (!hasEnded) {
    const running = await readPostmasterFile(data);
    if (running && running.pid === child.pid && running.status === "ready") return true;
    if (Date.now() > deadline) {
      child.kill("SIGQUIT");
      await exited;
      throw new EmbeddedPostgresError(
        "start_timeout",
        `PostgreSQL did not become ready within ${STARTING_MS_MAX / 60_000} minutes. Check its log, logs/postgres.log in the Merkle home.`,
      );
    }
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS))]);
  }
  return false;
}

/**
 * Temporary startup errors: another postmaster uses this data, or processes of a killed postmaster have not
 * exited yet.
 */
const TRANSIENT =
  /pre-existing shared memory block|lock file ".*" already exists|is still in use|could not bind Unix address/;

function judge({ paths, endpoint }: Cluster, output: string): undefined {
  if (TRANSIENT.test(output)) return undefined;
  const explained = explainText(paths.data, output);
  if (explained) throw explained;
  if (/could not bind|could not create any TCP\/IP sockets/.test(output)) {
    throw new EmbeddedPostgresError(
      "port_unavailable",
      `Port ${endpoint.port} on 127.0.0.1 was taken while PostgreSQL started. Try again.`,
      { details: output },
    );
  }
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? (output.trim() || "it gave no reason");
  throw new EmbeddedPostgresError(
    "start_failed",
    `PostgreSQL could not start: ${reason}. Its log is ${logPath(paths.home)}. To run without the embedded database, ${USE_YOUR_OWN}.`,
    { details: output },
  );
}
