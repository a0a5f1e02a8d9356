import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { hasProc } from "../../../core/platform.js";
import type { RunError, RunResult } from "./broker-code.js";
import type { Cgroup, Cgroups } from "./cgroup.js";
import { parseClaudeResult } from "./claude-result.js";
import type { Containment, TrackedRun } from "./containment.js";
import type { JobLog } from "./job-log.js";
import { graceMs } from "./namespacing.js";
import { drain, Tail } from "./output-streams.js";

/** A program to run for a job. */
interface ContainedRun {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text for the program's stdin. */
  readonly input: string;
  /** The prefix of all marks that this runner sets, by which leftover processes can be found. */
  readonly mark: string;
  readonly log: JobLog | undefined;
  readonly secrets: readonly string[];
  readonly processesMax: number;
  readonly timeoutMs: number;
}

const tailBytesMax = 4_096;
/**
 * The size limit of Claude Code's result. Claude Code prints the result in one piece at the end, including
 * the agent's final message.
 */
const resultBytesMax = 256 * 1024;
/**
 * How often processes are counted. With a cgroup, counting reads one file. Without a cgroup, it reads all of
 * /proc, or starts a process if there is no /proc.
 */
const countIntervalMs = { cgroup: 25, scan: hasProc() ? 100 : 1_000 };
/**
 * The number of processes above which a run counts as large. Claude Code and its helpers rarely reach a
 * quarter of the limit, so a larger run may well reach the limit.
 */
const computeDeprioritiseThreshold = (processesMax: number) => processesMax / 4;
/**
 * How long to wait for a pipe to end after the program has exited. The pipe ends only when all its writers
 * have exited.
 */
const pipesMsMax = 1_000;

/** How a run's processes are tracked and, if the machine supports it, limited. */
export interface RunBounds {
  readonly containment: Containment;
  readonly cgroups: Cgroups | undefined;
}

/** Runs a program. Resolves when the program and every process that it started have ended (RUNNER-5). */
export async function runContained(
  signal: AbortSignal,
  run: ContainedRun,
  { containment, cgroups }: RunBounds,
): Promise<RunResult> {
  const mark = `${run.mark}.${randomUUID()}`;
  // Without a cgroup, the containment counts the processes.
  const group = await cgroups?.make(mark, run.processesMax).catch(() => undefined);
  try {
    return await runIn(group, mark, signal, run, containment);
  } finally {
    await group?.remove();
  }
}

async function runIn(
  group: Cgroup | undefined,
  mark: string,
  signal: AbortSignal,
  run: ContainedRun,
  containment: Containment,
): Promise<RunResult> {
  const contained = containment.wrap(run);
  const { path, args } = group?.wrap(contained) ?? contained;
  const child = spawn(path, [...args], {
    cwd: run.cwd,
    env: { ...run.env, MERKLE_JOB_MARK: mark },
    // Signals to the broker's process group do not reach a separate process group.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = waitForExit(child);
  const stderr = new Tail(tailBytesMax);
  const stdout = new Tail(resultBytesMax);
  const drained = Promise.all([
    drain(child.stdout, (piece) => stdout.write(piece)),
    drain(child.stderr, (piece) => {
      stderr.write(piece);
      run.log?.write(piece);
    }),
  ]);
  // Ignore write errors, because an agent may exit before it has read all its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(run.input);

  const { pid } = child;
  if (pid === undefined) {
    const { error } = await ended;
    return { exit_code: null, error_tail: "", error: unreachable(error?.message ?? "it did not start") };
  }
  const tracked = containment.track(pid, mark, group);
  const supervisionError = await supervise(ended, signal, tracked, run.processesMax, group);
  await tracked.clear();
  await Promise.race([drained, delay(pipesMsMax, undefined, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();

  const { code } = await ended;
  const output = stdout.toText(run.secrets);
  const result = parseClaudeResult(output);
  const error_tail = stderr.toText(run.secrets) || cutToTail(result?.text ?? output);
  return {
    exit_code: code,
    error_tail,
    error: supervisionError ?? findStartError(code, error_tail, run.path),
    ...(result && { usage: result.usage }),
  };
}

function cutToTail(text: string): string {
  const tail = new Tail(tailBytesMax);
  tail.write(Buffer.from(text));
  return tail.toText([]);
}

/** Ends the run if it is aborted or has too many processes. Asks it to exit first, then kills it. */
async function supervise(
  ended: Promise<unknown>,
  signal: AbortSignal,
  tracked: TrackedRun,
  processesMax: number,
  group: Cgroup | undefined,
): Promise<RunError | null> {
  const supervision = new AbortController();
  const exited = ended.finally(() => supervision.abort());
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: supervision.signal });
  });
  const overgrown = watch(group, tracked, processesMax, supervision.signal);

  const first = await Promise.race([exited, aborted, overgrown]);
  if (first === "overgrown") {
    await tracked.kill();
    await exited;
    return { reason: "overgrown", message: `it had more than ${processesMax} processes at the same time` };
  }
  if (!supervision.signal.aborted) {
    await tracked.terminate();
    const outcome = await Promise.race([
      exited.then(() => true),
      delay(graceMs, false, { signal: supervision.signal }).catch(() => true),
      overgrown,
    ]);
    if (outcome !== true) await tracked.kill();
    await exited;
  }
  return null;
}

/** Resolves with "overgrown" once there are too many processes. */
async function watch(
  group: Cgroup | undefined,
  tracked: TrackedRun,
  processesMax: number,
  endSignal: AbortSignal,
): Promise<"overgrown" | undefined> {
  // Scanning all of the machine's processes is slowest when there are many, so a cgroup that counts its
  // processes is preferred.
  const counter = group?.isCounted ? group : undefined;
  const everyMs = counter ? countIntervalMs.cgroup : countIntervalMs.scan;
  while (!endSignal.aborted) {
    await delay(everyMs, undefined, { signal: endSignal }).catch(() => undefined);
    if (endSignal.aborted) return undefined;
    if (!counter) {
      if ((await tracked.count()) > processesMax) return "overgrown";
      continue;
    }
    if ((await counter.count()) > computeDeprioritiseThreshold(processesMax)) await counter.deprioritise();
    if (await counter.wasFull()) return "overgrown";
  }
  return undefined;
}

interface ProcessExit {
  readonly code: number | null;
  readonly error?: Error;
}

function waitForExit(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("error", (error) => child.pid === undefined && resolve({ code: null, error }));
    child.once("exit", (code, signal) =>
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
    );
  });
}

/**
 * Returns an error if the program could not be started, which the wrapper reports with one of two exit codes
 * and a message.
 */
function findStartError(code: number | null, stderrText: string, path: string): RunError | null {
  if (
    (code !== 126 && code !== 127) ||
    !stderrText.includes(path) ||
    !/failed to (?:run|execute)/.test(stderrText)
  )
    return null;
  return unreachable(stderrText);
}

export function unreachable(message: string): RunError {
  return { reason: "unreachable", message };
}
