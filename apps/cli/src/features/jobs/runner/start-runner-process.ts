import { describeError } from "../../../core/describe-error.js";
import type { JobRunner } from "./broker-code.js";
import { type ClaudeRunnerOptions, prepareFolder } from "./claude-runner.js";
import { openRunnerProcess, type RunnerProcess } from "./open-runner-process.js";
import { unreachable } from "./run-contained.js";

export interface RunnerProcessOptions extends ClaudeRunnerOptions {
  /** How long the process keeps running without requests, in milliseconds. Default: one minute. */
  readonly idleMs?: number;
}

/**
 * Runs jobs with Claude Code like `startClaudeRunner`, but in a separate process that exists only while
 * needed (RUNNER-10). Starting a program copies the page tables of its parent, and agents' output becomes
 * garbage once read. Both are cheap in a small process, where they delay no other work.
 */
export async function startRunnerProcess({
  idleMs = 60_000,
  ...options
}: RunnerProcessOptions): Promise<JobRunner> {
  const prepare = () => prepareFolder(options.folder);
  await prepare();
  let current: RunnerProcess | undefined;
  // Settles when everything that a failed process left behind has ended. Another process is started only
  // after that.
  let cleared: Promise<unknown> = Promise.resolve();
  // Settles when all processes closed so far have exited, including those closed for being idle.
  let closed: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let pendingCount = 0;

  function getProcess(): RunnerProcess {
    current ??= openRunnerProcess(options, () => {
      current = undefined;
      cleared = prepare().catch(() => undefined);
    });
    return current;
  }

  async function withProcess<Answer>(ask: (runner: RunnerProcess) => Promise<Answer>): Promise<Answer> {
    pendingCount += 1;
    clearTimeout(idle);
    try {
      await cleared;
      return await ask(getProcess());
    } catch (error) {
      await cleared;
      throw error;
    } finally {
      pendingCount -= 1;
      if (pendingCount === 0) idle = setTimeout(close, idleMs);
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
        return await withProcess((runner) => runner.run(signal, job));
      } catch (error) {
        const message = describeError(error);
        return { exit_code: null, error_tail: "", error: unreachable(message) };
      }
    },
    describe: () => withProcess((runner) => runner.describe()),
    close,
  };
}
