import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { RunError, RunResult } from "../../../core/broker-code.js";
import { hasProc } from "../../../core/platform.js";
import type { Cgroup, Cgroups } from "./cgroup.js";
import { parseClaudeResult } from "./claude-result.js";
import type { Containment, Held } from "./containment.js";
import type { JobLog } from "./job-log.js";
import { graceMs } from "./namespacing.js";
import { drain, Tail } from "./output-streams.js";

/** A program that runs for a job. */
interface ContainedRun {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The text that it reads from stdin. */
  readonly input: string;
  /** Begins every mark of its runner's, so that what is left of it can be found. */
  readonly mark: string;
  readonly log: JobLog | undefined;
  readonly secrets: readonly string[];
  readonly processesMax: number;
  readonly timeoutMs: number;
}

const tailBytesMax = 4_096;
/** Claude Code's result comes in one piece at its end, with all that its agent said last. */
const resultBytesMax = 256 * 1024;
/** To count by a cgroup is to read a file, otherwise all of /proc; without that each look takes a process of its own. */
const countEveryMs = { cgroup: 25, looking: hasProc() ? 100 : 1_000 };
/** Claude Code and its helpers hardly come to a quarter of what they may have: what does may be on its way to all of it. */
const manyOf = (processesMax: number) => processesMax / 4;
/** When everything that could write has ended, a pipe has, too; this is only when to stop believing it. */
const pipesMsMax = 1_000;

/** The bounds that keep a run from leaving, and from taking too much where the machine has the means. */
export interface Bounds {
  readonly containment: Containment;
  readonly cgroups: Cgroups | undefined;
}

/** Runs a program, and resolves when it and everything that it started has ended (RUNNER-5). */
export async function runContained(
  signal: AbortSignal,
  run: ContainedRun,
  { containment, cgroups }: Bounds,
): Promise<RunResult> {
  const mark = `${run.mark}.${randomUUID()}`;
  // Without one it is still counted.
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
    // A group of its own, which a signal to the broker's does not reach.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = endOf(child);
  const stderr = new Tail(tailBytesMax);
  const stdout = new Tail(resultBytesMax);
  const drained = Promise.all([
    drain(child.stdout, (piece) => stdout.write(piece)),
    drain(child.stderr, (piece) => {
      stderr.write(piece);
      run.log?.write(piece);
    }),
  ]);
  // An agent that ends without having read it all is none of our errors.
  child.stdin.on("error", () => undefined);
  child.stdin.end(run.input);

  const { pid } = child;
  if (pid === undefined) {
    const { error } = await ended;
    return { exit_code: null, error_tail: "", error: unreachable(error?.message ?? "it did not start") };
  }
  const held = containment.hold(pid, mark, group);
  const overgrown = await superviseUntil(ended, signal, held, run.processesMax, group);
  await held.clear();
  await Promise.race([drained, delay(pipesMsMax, undefined, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();

  const { code } = await ended;
  const written = stdout.text(run.secrets);
  const result = parseClaudeResult(written);
  const error_tail = stderr.text(run.secrets) || tailOf(result?.text ?? written);
  return {
    exit_code: code,
    error_tail,
    error: overgrown ?? notStarted(code, error_tail, run.path),
    ...(result && { usage: result.usage }),
  };
}

function tailOf(text: string): string {
  const tail = new Tail(tailBytesMax);
  tail.write(Buffer.from(text));
  return tail.text([]);
}

/** Ends the run when it is told to or has too many processes, in order first and then by force. */
async function superviseUntil(
  ended: Promise<unknown>,
  signal: AbortSignal,
  held: Held,
  processesMax: number,
  group: Cgroup | undefined,
): Promise<RunError | null> {
  const over = new AbortController();
  const isOver = ended.finally(() => over.abort());
  const isTold = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: over.signal });
  });
  const tooMany = watch(group, held, processesMax, over.signal);

  const first = await Promise.race([isOver, isTold, tooMany]);
  if (first === "overgrown") {
    await held.kill();
    await isOver;
    return { reason: "overgrown", message: `it had more than ${processesMax} processes at the same time` };
  }
  if (!over.signal.aborted) {
    await held.terminate();
    const graceful = await Promise.race([
      isOver.then(() => true),
      delay(graceMs, false, { signal: over.signal }).catch(() => true),
      tooMany,
    ]);
    if (graceful !== true) await held.kill();
    await isOver;
  }
  return null;
}

/** Resolves when there are too many processes; never otherwise. */
async function watch(
  group: Cgroup | undefined,
  held: Held,
  processesMax: number,
  over: AbortSignal,
): Promise<"overgrown" | undefined> {
  // To look through all processes of the machine takes longest where there are most.
  const counter = group?.isCounted ? group : undefined;
  const everyMs = counter ? countEveryMs.cgroup : countEveryMs.looking;
  while (!over.aborted) {
    await delay(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return undefined;
    if (!counter) {
      if ((await held.count()) > processesMax) return "overgrown";
      continue;
    }
    if ((await counter.count()) > manyOf(processesMax)) await counter.stepBack();
    if (await counter.wasFull()) return "overgrown";
  }
  return undefined;
}

interface Ended {
  readonly code: number | null;
  readonly error?: Error;
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once("error", (error) => child.pid === undefined && resolve({ code: null, error }));
    child.once("exit", (code, signal) =>
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
    );
  });
}

/** The program that runs it in our place tells so by these two codes, and says why. */
function notStarted(code: number | null, said: string, path: string): RunError | null {
  if ((code !== 126 && code !== 127) || !said.includes(path) || !/failed to (?:run|execute)/.test(said))
    return null;
  return unreachable(said);
}

export function unreachable(message: string): RunError {
  return { reason: "unreachable", message };
}
