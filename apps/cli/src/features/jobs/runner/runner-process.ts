import { describeError } from "../../../core/describe-error.js";
import type { RunnableJob, RunnerFacts, RunResult } from "./broker-code.js";
import { type ClaudeRunner, type ClaudeRunnerOptions, startClaudeRunner } from "./claude-runner.js";

// Entry point of the process that runs a broker's agents. It serves requests until its parent disconnects.

/**
 * A message to the process. The options are sent first. Each question has an id, which is repeated in its
 * answer and in a request to abort it.
 */
export type RunnerMessage =
  | { readonly options: ClaudeRunnerOptions }
  | RunnerQuestion
  | { readonly id: number; readonly end: true };

export type RunnerQuestion =
  | { readonly id: number; readonly run: RunnableJob }
  | { readonly id: number; readonly describe: true };

export type RunnerAnswer =
  | { readonly id: number; readonly answer: RunResult | RunnerFacts }
  | { readonly id: number; readonly error: string };

let starting: Promise<ClaudeRunner> | undefined;
const running = new Map<number, AbortController>();

process.on("message", (message: RunnerMessage) => {
  if ("options" in message) starting = startClaudeRunner(message.options);
  else if ("end" in message) running.get(message.id)?.abort();
  else void answer(message);
});

// The broker has exited, normally or not. This process exits once its agents have ended.
process.on("disconnect", () => {
  for (const each of running.values()) each.abort();
});

async function answer(question: RunnerQuestion): Promise<void> {
  const { id } = question;
  const controller = new AbortController();
  running.set(id, controller);
  const reply = await perform(question, controller.signal).then(
    (each): RunnerAnswer => ({ id, answer: each }),
    (error: unknown): RunnerAnswer => ({ id, error: describeError(error) }),
  );
  running.delete(id);
  if (process.connected) process.send?.(reply);
}

async function perform(question: RunnerQuestion, signal: AbortSignal): Promise<RunResult | RunnerFacts> {
  if (!starting) throw new Error("The options come first.");
  const runner = await starting;
  return "run" in question ? runner.run(signal, question.run) : runner.describe();
}
