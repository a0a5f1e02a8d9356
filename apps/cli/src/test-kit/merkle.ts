import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { inject, onTestFinished } from "vitest";
import { copyData, makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { lookForSecrets, lookInHome } from "../../../../tests/kit/canary.js";
import { run } from "../run.js";
import { collectText } from "./collect-text.js";

/** A Merkle home for one test, with functions that run commands in it. */
export interface TestMerkle {
  readonly home: string;
  /** Runs a command to its end, in this process unless the command's effects require a separate process. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Starts a command in a separate process. */
  start(args: readonly string[], options?: RunOptions): StartedCommand;
  /** Reads the run file that `up` wrote for its broker. */
  readRunFile(): Promise<{ pid: number; url: string; port: number }>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The bytes on stdin. Default: empty. */
  readonly input?: string | Uint8Array;
  /** Makes `up` initialise its PostgreSQL instead of using a prepared copy. */
  readonly fromNothing?: boolean;
}

/**
 * The default port for commands in tests. No server uses this port, whereas 7423 may be in use by this
 * machine's own broker.
 */
export const unusedPort = "1";

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedCommand {
  readonly process: ChildProcess;
  /** Resolves once stdout contains this text. Rejects if the command ends before that. */
  waitForOutput(text: string): Promise<void>;
  readonly ended: Promise<CommandResult>;
}

export type CleanupTask = () => Promise<void>;

/**
 * Creates a Merkle home for a test. At the end of the test, or when `atEnd` runs its callbacks, ends all
 * processes that belong to the home and removes the home.
 *
 * @param program - the program to run; default: the one built in this checkout
 * @param under - a command, with arguments, that runs the program, for example in another network namespace
 */
export async function testMerkle(
  onEnd: (cleanup: CleanupTask) => void = onTestFinished,
  program = inject("program"),
  under: readonly string[] = [],
): Promise<TestMerkle> {
  const { path: home, remove } = await makeTestHome();
  const toEnvironment = (more: RunOptions["env"]): NodeJS.ProcessEnv => ({
    ...{ PATH: process.env["PATH"], TMPDIR: tmpdir(), HOME: home, LANG: "C.UTF-8", MERKLE_HOME: home },
    MERKLE_PORT: unusedPort,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...more,
  });
  const start = (
    args: readonly string[],
    { env, cwd = home, input, fromNothing = false }: RunOptions = {},
  ): StartedCommand => {
    if (args.includes("up") && !fromNothing && env?.["DATABASE_URL"] === undefined) prepare(home);
    const [command = "", ...rest] = [...under, process.execPath, program, ...args];
    const child = spawn(command, rest, {
      cwd,
      env: toEnvironment(env),
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    // A command may exit before it has read all its input. Only its exit code matters.
    child.stdin?.on("error", () => undefined).end(input);
    onEnd(() => killNow(child));
    return watch(child);
  };
  const ended = new AbortController();
  const merkle: TestMerkle = {
    home,
    start,
    async run(args, options = {}) {
      const isSpawned = program !== inject("program") || under.length > 0 || needsProcess(args, options);
      if (isSpawned) return start(args, options).ended;
      const { env, cwd = home, input = "" } = options;
      return runHere(args, { input, env: toEnvironment(env), cwd, signal: ended.signal });
    },
    async readRunFile() {
      return JSON.parse(await readFile(join(home, "broker.json"), "utf8"));
    },
  };
  onEnd(async () => {
    if (existsSync(join(home, "broker.json"))) await merkle.run(["down"]);
    ended.abort();
    await lookInHome(home);
    await remove();
  });
  return merkle;
}

/** The first words of commands that start or signal processes, launch clients, or access named files. */
const commandsWithProcess =
  /^(?:up|upgrade|backup|restore|audit-key|doctor|service|mcp|hook|launch|runner|agent|demo|install|uninstall|open|export|import|verify)$/;

/**
 * Returns whether a command must run in a separate process, because of its effects or because the test sets a
 * different time zone.
 */
export function needsProcess([name = "", second]: readonly string[], { env = {} }: RunOptions = {}): boolean {
  return commandsWithProcess.test(name) || `${name} ${second}` === "person export" || "TZ" in env;
}

async function runHere(
  args: readonly string[],
  {
    input,
    env,
    cwd,
    signal,
  }: { input: string | Uint8Array; env: NodeJS.ProcessEnv; cwd: string; signal: AbortSignal },
): Promise<CommandResult> {
  const [stdout, stderr] = [collectText(), collectText()];
  const stdin = Readable.from([Buffer.from(input)]);
  const io = { stdin, stdout: stdout.stream, stderr: stderr.stream, env, cwd };
  const code = await run(args, io, signal);
  lookForSecrets("a command's stderr", stderr.text());
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/**
 * Copies a prepared database into the home. Initialising a database would take most of the time of the first
 * `up`.
 */
function prepare(home: string): void {
  const prepared = inject("preparedHome");
  if (existsSync(prepared) && !existsSync(join(home, "pg"))) copyData(prepared, home);
}

function watch(child: ChildProcess): StartedCommand {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => {
    // stdout contains the command's results, which may be secret, but stderr must never contain a secret.
    lookForSecrets("a command's stderr", stderr);
    return { code, stdout, stderr };
  });
  return {
    process: child,
    ended,
    waitForOutput: (text) =>
      new Promise((resolve, reject) => {
        const check = () => stdout.includes(text) && resolve();
        child.stdout?.on("data", check);
        void ended.then(() => reject(new Error(`It ended without saying "${text}":\n${stdout}${stderr}`)));
        check();
      }),
  };
}

async function killNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}
