import { type ChildProcess, spawn } from "node:child_process";
import { argumentOf, isPosix } from "../files/platform.js";
import { type Binaries, programPath } from "./binaries.js";
import type { Endpoint } from "./endpoint.js";
import { EmbeddedPostgresError, explainText, USE_YOUR_OWN } from "./error.js";
import { logPath, openLog, readLogAfter } from "./log-file.js";
import { makePrivateFolder, type Place } from "./place.js";
import { readPostmasterFile } from "./postmaster-file.js";
import { identity, programEnvironment, runProgram } from "./run-program.js";
import { settingsFor } from "./settings.js";

/** A cluster and everything needed to run it. */
export interface Cluster {
  place: Place;
  binaries: Binaries;
  endpoint: Endpoint;
  connectionsMax: number;
}

/** A server that we started and that accepts connections. */
export interface Launched {
  pid: number;
  /** Resolves when the process has exited. Undefined on Windows, where the pid must be polled. */
  exited: Promise<void> | undefined;
}

/** max_wal_size limits the time for crash recovery, so a server that takes this long is stuck. */
const STARTING_MS_MAX = 5 * 60_000;
const CHECK_EVERY_MS = 10;

/**
 * Starts the server and waits until it is ready. Returns undefined if it exited for a temporary reason: the
 * remains of another server still use the data, or it was killed. The caller then checks again which server
 * is running.
 *
 * @throws EmbeddedPostgresError with the end of the server's log, if it exited for another reason
 */
export async function launch(cluster: Cluster): Promise<Launched | undefined> {
  return isPosix() ? launchDirectly(cluster) : launchByPgCtl(cluster);
}

/**
 * Starts the server in its own process group, so that Ctrl-C in our terminal does not reach it. The log is
 * passed as an open file, so the server can outlive us. Nothing of the server keeps our process alive.
 */
async function launchDirectly(cluster: Cluster): Promise<Launched | undefined> {
  const { place, binaries, endpoint } = cluster;
  // A temporary folder may have been deleted between two starts.
  if (endpoint.kind === "socket") await makePrivateFolder(endpoint.folder, place.user);
  const log = await openLog(place.home);
  try {
    const offset = (await log.stat()).size;
    const child = spawn(programPath(binaries.folder, "postgres"), ["-D", place.data, ...options(cluster)], {
      cwd: place.data,
      env: programEnvironment(),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...identity(place.user),
    });
    child.unref();
    const exited = exitOf(child);
    if (await becomesReady(child, exited, place.data)) return { pid: child.pid ?? 0, exited };
    // Another process killed the server, which says nothing about the next attempt.
    if (child.signalCode === "SIGKILL") return undefined;
    return judge(cluster, await readLogAfter(place.home, offset));
  } finally {
    await log.close();
  }
}

/**
 * On Windows, pg_ctl starts the server, because it drops administrator rights. With them the server refuses
 * to start.
 */
async function launchByPgCtl(cluster: Cluster): Promise<Launched | undefined> {
  const { place, binaries } = cluster;
  const log = await openLog(place.home);
  const offset = (await log.stat()).size;
  await log.close();
  const started = await runProgram(programPath(binaries.folder, "pg_ctl"), [
    "start",
    "--wait",
    "--silent",
    `--timeout=${STARTING_MS_MAX / 1000}`,
    `--pgdata=${place.data}`,
    `--log=${logPath(place.home)}`,
    `--options=${options(cluster).join(" ")}`,
  ]);
  const running = await readPostmasterFile(place.data);
  if (started.code === 0 && running) return { pid: running.pid, exited: undefined };
  return judge(cluster, `${started.output}\n${await readLogAfter(place.home, offset)}`);
}

function options({ endpoint, connectionsMax }: Cluster): string[] {
  const settings = Object.entries(settingsFor(endpoint, connectionsMax));
  return settings.flatMap(([name, value]) => ["-c", `${name}=${argumentOf(value)}`]);
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    // The process could not be started. The log is then empty, and `judge` reports that.
    child.once("error", () => resolve());
  });
}

/** Resolves to true once the server has reported that it is ready, or to false if it exits first. */
async function becomesReady(child: ChildProcess, exited: Promise<void>, data: string): Promise<boolean> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + STARTING_MS_MAX;
  while (!ended) {
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
 * Temporary errors: another postmaster runs on this data, or processes of a killed postmaster have not exited
 * yet.
 */
const PASSING =
  /pre-existing shared memory block|lock file ".*" already exists|is still in use|could not bind Unix address/;

function judge({ place, endpoint }: Cluster, output: string): undefined {
  if (PASSING.test(output)) return undefined;
  const explained = explainText(place.data, output);
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
    `PostgreSQL could not start: ${reason}. Its log is ${logPath(place.home)}. To run without the embedded database, ${USE_YOUR_OWN}.`,
    { details: output },
  );
}
