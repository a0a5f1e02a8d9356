import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../../../settings/config.js";
import type { RunnableJob, RunnerFacts, RunResult } from "./broker-code.js";
import { toChildEnvironment } from "./child-environment.js";
import type { ClaudeRunnerOptions } from "./claude-runner.js";
import { drain, Tail } from "./output-streams.js";
import type { RunnerAnswer, RunnerMessage, RunnerQuestion } from "./runner-process.js";

/**
 * A runner in a separate process. If the process exits before it answers, pending calls reject with the
 * reason for the exit.
 */
export interface RunnerProcess {
  run(signal: AbortSignal, job: RunnableJob): Promise<RunResult>;
  describe(): Promise<RunnerFacts>;
  /** Stops the process and any agents that it runs. Resolves when the process has exited. */
  close(): Promise<void>;
}

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(reason: Error): void;
}

const stderrBytesMax = 2_048;

/** Starts the runner's process. Calls `onFailed` if the process exits although `close` was not called. */
export function openRunnerProcess(
  { env = readEnvironment().variables, ...options }: ClaudeRunnerOptions,
  onFailed: () => void,
): RunnerProcess {
  const child = fork(findEntryFile(), {
    // The process gets only the variables that agents may get.
    env: toChildEnvironment(env, { names: options.environment, given: {} }),
    execArgv: [],
    // Ctrl+C in the broker's terminal must reach only the broker, which then stops the agents.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const pending = new Map<number, PendingRequest>();
  const stderr = new Tail(stderrBytesMax);
  let isClosed = false;
  let lastId = 0;

  // Sending fails only if the process has exited, and the exit already rejects all pending calls.
  const send = (message: RunnerMessage) => void child.send(message, () => undefined);

  /**
   * Sends a question to the process. The process runs the same code, so each answer has the type that its
   * question expects.
   */
  function ask<Answer>(question: RunnerQuestion): Promise<Answer> {
    return new Promise((resolve, reject) => {
      pending.set(question.id, { resolve: (answer) => resolve(answer as Answer), reject });
      send(question);
    });
  }

  const stderrEnd = child.stderr && drain(child.stderr, (piece) => stderr.write(piece));
  child.on("message", (message: RunnerAnswer) => {
    const { id } = message;
    if ("error" in message) pending.get(id)?.reject(new Error(message.error));
    else pending.get(id)?.resolve(message.answer);
    pending.delete(id);
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("exit", async (code, signal) => {
      await stderrEnd;
      resolve(`ended (${signal ?? `exit code ${code}`})`);
    });
  }).then((how) => {
    if (!isClosed) onFailed();
    isClosed = true;
    const why = [`the process that runs agents ${how}`, stderr.toText([])].filter(Boolean).join(": ");
    for (const { reject } of pending.values()) reject(new Error(why));
  });
  send({ options });

  return {
    run(signal, job) {
      lastId += 1;
      const id = lastId;
      const ran = ask<RunResult>({ id, run: job });
      const end = () => send({ id, end: true });
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      return ran.finally(() => signal.removeEventListener("abort", end));
    },
    describe() {
      lastId += 1;
      return ask<RunnerFacts>({ id: lastId, describe: true });
    },
    close() {
      isClosed = true;
      if (child.connected) child.disconnect();
      return ended;
    },
  };
}

/**
 * Returns the compiled entry file: next to this file if this file is compiled or bundled, otherwise in
 * `dist`, because Node 20 cannot run TypeScript.
 */
function findEntryFile(): string {
  const candidates = ["./runner-process.js", "../../../../dist/features/jobs/runner/runner-process.js"];
  const [beside = "", compiled = ""] = candidates.map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return existsSync(beside) ? beside : compiled;
}
