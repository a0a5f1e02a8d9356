import type { Runner } from "../../../core/broker-code.js";
import { describeError } from "../../../core/describe-error.js";
import { type ClaudeRunnerOptions, prepareFolder } from "./claude-runner.js";
import { openRunnerProcess, type RunnerProcess } from "./open-runner-process.js";
import { unreachable } from "./run-contained.js";

export interface RunnerProcessOptions extends ClaudeRunnerOptions {
  /** So long the process stays when nothing is asked of it; a minute unless told. */
  readonly idleMs?: number;
}

/**
 * Runs jobs with Claude Code as `startClaudeRunner` does, in a process of its own that is there while it is needed (RUNNER-10).
 * To start a program the kernel copies what it knows of the memory of the process that asks for it, and what agents write is
 * garbage once it is read: in a small process both cost little, and nobody else waits for them.
 */
export async function startRunnerProcess({
  idleMs = 60_000,
  ...options
}: RunnerProcessOptions): Promise<Runner> {
  const prepare = () => prepareFolder(options.folder);
  await prepare();
  let current: RunnerProcess | undefined;
  // Settles once everything that a failed process left behind has ended; another one begins only then.
  let cleared: Promise<unknown> = Promise.resolve();
  // Settles once every process that was told to end has ended, also one that nobody needed any more.
  let closed: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let asked = 0;

  function required(): RunnerProcess {
    current ??= openRunnerProcess(options, () => {
      current = undefined;
      cleared = prepare().catch(() => undefined);
    });
    return current;
  }

  async function use<Answer>(ask: (runner: RunnerProcess) => Promise<Answer>): Promise<Answer> {
    asked += 1;
    clearTimeout(idle);
    try {
      await cleared;
      return await ask(required());
    } catch (error) {
      await cleared;
      throw error;
    } finally {
      asked -= 1;
      if (asked === 0) idle = setTimeout(close, idleMs);
    }
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    closed = Promise.all([closed, current?.close()]);
    current = undefined;
    await closed;
  }

  return {
    async run(signal, job) {
      try {
        return await use((runner) => runner.run(signal, job));
      } catch (error) {
        const message = describeError(error);
        return { exit_code: null, error_tail: "", error: unreachable(message) };
      }
    },
    describe: () => use((runner) => runner.describe()),
    close,
  };
}
