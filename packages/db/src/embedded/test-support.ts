import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readFile, readlink, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import postgres from "postgres";
import { getInstalledBinaries } from "./binaries.js";
import type { PostgresConnection } from "./endpoint.js";
import type { EmbeddedPostgres, EmbeddedPostgresOptions } from "./index.js";
import { startEmbeddedPostgres } from "./index.js";
import { isServerRunning, readPostmasterFile } from "./postmaster-file.js";

/** Returns the binaries of the oldest supported PostgreSQL, if their package is installed. */
export function findOldestBinaries(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve("postgres-15-linux-x64");
    return join(dirname(dirname(entry)), "native");
  } catch {
    return undefined;
  }
}

/** A home for one test. Removing it also removes everything that was started and stored for it. */
export interface TestHome {
  path: string;
  start(options?: Partial<EmbeddedPostgresOptions>): Promise<EmbeddedPostgres>;
  remove(): Promise<void>;
}

/**
 * Creates a home. By default, the server's user can enter the folder even if root starts the server, so that
 * all data is inside the home. With mode 0700, the home is as private as a real one. Removing the home also
 * removes data that root stores elsewhere.
 */
export async function makeTestHome(options: { mode?: number; below?: string } = {}): Promise<TestHome> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-home-"));
  await chmod(folder, options.mode ?? 0o711);
  const path = join(folder, options.below ?? "");
  await mkdir(path, { recursive: true, mode: options.mode ?? 0o711 });
  const started: EmbeddedPostgres[] = [];

  return {
    path,
    async start(more = {}) {
      const server = await startEmbeddedPostgres({ home: path, ...more });
      started.push(server);
      return server;
    },
    async remove() {
      await Promise.all(started.map((server) => server.stop()));
      await removeData(path);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the home's data outside the home, and stops servers that are still running on that data. */
async function removeData(home: string): Promise<void> {
  for (const major of ["15", "18"]) {
    const pointer = join(home, "pg", major);
    const found = await lstat(pointer).catch(() => undefined);
    if (!found) continue;
    const data = found.isSymbolicLink() ? await readlink(pointer) : pointer;
    const running = await readPostmasterFile(data);
    if (running && isServerRunning(running.pid)) {
      process.kill(running.pid, "SIGQUIT");
      await waitForPidExit(running.pid);
    } else await freeSharedMemory(data);
    if (found.isSymbolicLink()) await rm(dirname(dirname(data)), { recursive: true, force: true });
  }
}

/**
 * Removes the System V shared memory segment that a killed server left. The seventh line of `postmaster.pid`
 * identifies it.
 */
async function freeSharedMemory(data: string): Promise<void> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const [, id] = (text.split("\n")[6] ?? "").trim().split(/\s+/);
  // Ignores failures, because the segment may have been removed already.
  if (id !== undefined) await promisify(execFile)("ipcrm", ["-m", id]).catch(() => undefined);
}

/** Resolves when the process with this id has exited. */
export async function waitForPidExit(pid: number): Promise<void> {
  while (isServerRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Returns the real user id of a process. */
export async function readUid(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
}

/** Runs one query on a new connection. */
export async function ask(connection: PostgresConnection, query: string): Promise<postgres.Row[]> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(query);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A separate process that starts the embedded server in the same way as a broker. */
export interface TestBroker {
  process: ChildProcess;
  /** The result in the first line that the process prints: the started server or the error. */
  report: Promise<
    { pid: number; adopted: boolean; dataDirectory: string } | { error: string; message: string }
  >;
  kill(): Promise<void>;
}

/**
 * Copies the data from an earlier first start into a home, because creating the data takes up most of a first
 * start.
 */
export function copyData(from: string, home: string): void {
  // The data belongs to the server's user, so the copy must keep the owner.
  execFileSync("cp", ["-a", join(from, "pg"), join(home, "pg")]);
}

/** Starts a broker process from compiled code. Compiling in each process would take longer than the tests. */
export function startTestBroker(options: {
  home: string;
  binaries?: string;
  as?: number;
  lockOnly?: boolean;
}): TestBroker {
  const built = fileURLToPath(new URL("../../dist/embedded/test-broker.js", import.meta.url));
  const { script, ...args } =
    options.as === undefined ? { script: built, ...options } : copyForOthers(built, options);
  const node = [process.execPath, script, JSON.stringify(args)];
  const switching = [`--reuid=${options.as}`, `--regid=${options.as}`, "--clear-groups"];
  const [program = "", ...rest] = options.as === undefined ? node : ["setpriv", ...switching, ...node];
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  return {
    process: child,
    report: Promise.race([
      once(lines, "line").then(([line]) => JSON.parse(String(line))),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`the test broker ended with ${code}`))),
    ]),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Copies a script and PostgreSQL into the home, because other users may not be able to read the checkout. */
function copyForOthers<Options extends { home: string; binaries?: string }>(built: string, options: Options) {
  const folder = join(options.home, "for-others");
  const script = join(folder, "test-broker.mjs");
  const binaries = options.binaries ?? join(folder, "native");
  mkdirSync(folder, { recursive: true });
  buildSync({ entryPoints: [built], outfile: script, bundle: true, platform: "node", format: "esm" });
  if (!existsSync(binaries))
    cpSync(getInstalledBinaries(), binaries, { recursive: true, verbatimSymlinks: true });
  execFileSync("chmod", ["-R", "a+rX", folder, binaries]);
  return { script, ...options, binaries };
}
