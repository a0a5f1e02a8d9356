import { join } from "node:path";
import type { JobAgentOptions } from "@merkle/broker";
import type { Job } from "@merkle/wire";
import { expect, inject } from "vitest";
import {
  type ClaudeRunnerOptions,
  startClaudeRunner,
} from "../../../apps/cli/src/features/jobs/runner/claude-runner.js";
import type { Cleanup } from "../../kit/test-database.js";
import type { TransportClient } from "../../kit/transports.js";
import { makeMachine } from "./machine.js";
import type { Answer } from "./obey.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import type { ModelPrompt } from "./shown.js";

/** Runs a broker's jobs with the real Claude Code, the real `merkle agent` and a scripted model. */
export interface JobAgent {
  readonly agent: JobAgentOptions;
  readonly model: ScriptedModel;
}

/**
 * Sets up an agent for jobs. @param mind - chooses the model's next reply, based on everything that the model was shown
 * in this run
 */
export async function makeJobAgent(
  cleanup: Cleanup,
  mind: (shown: ModelPrompt) => Answer,
  changes: Partial<ClaudeRunnerOptions> & Pick<JobAgentOptions, "timeoutsMs"> = {},
): Promise<JobAgent> {
  const { timeoutsMs, ...options } = changes;
  const machine = await makeMachine(cleanup);
  const model = await startScriptedModel(cleanup, { decide: mind });
  const startRunner = () =>
    startClaudeRunner({
      claudeBin: inject("claude"),
      agentCommand: `${process.execPath} ${inject("program")} agent`,
      folder: join(machine.merkleHome, "agent"),
      logFolder: undefined,
      skipPermissions: false,
      environment: ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"],
      env: machine.env({ modelUrl: model.url, brokerUrl: "http://localhost:1" }),
      ...options,
    });
  return { agent: { startRunner, name: machine.merkleHome, timeoutsMs: timeoutsMs ?? {} }, model };
}

/** Waits until the job has ended and returns it. */
export async function waitForJob(transport: TransportClient, job_id: number): Promise<Job> {
  const readJob = () => transport.call("get_job", { job_id });
  await expect.poll(async () => (await readJob()).completed_at, { timeout: 150_000 }).not.toBeNull();
  return readJob();
}

/** One step of a model that follows a skill: a `merkle agent` command and its stdin. */
export interface Step {
  readonly verb: string;
  readonly input?: string;
}

/**
 * Creates a model that loads the skill named in its prompt and takes these steps, in the format that the skill
 * prescribes. A step may depend on the results of earlier steps. The model ends its turn when `next` returns null.
 */
export function createSkilledModel(
  next: (steps: readonly Record<string, unknown>[], shown: ModelPrompt) => Step | null,
): (shown: ModelPrompt) => Answer {
  return (shown) => {
    const skill = /Use the (\S+) skill\./.exec(shown.conversation)?.[1];
    const command = /^Agent command: (.*)$/m.exec(shown.conversation)?.[1];
    const results = shown.messages.filter(({ role }) => role === "assistant").length;
    if (results === 0) return { calls: [{ tool: "Skill", input: { skill } }] };
    // Gives up after this many results, because a failing step would be retried forever.
    if (results > stepsMax) return { text: `I give up: ${shown.news}` };
    const step = next(listAnswers(shown), shown);
    if (step === null) return { text: "Done." };
    const text =
      step.input === undefined ? "" : ` <<'MERKLE_TEXT_ENDS_HERE'\n${step.input}\nMERKLE_TEXT_ENDS_HERE`;
    const call = { command: `${command} ${step.verb}${text}`, description: "as the skill says" };
    return { calls: [{ tool: "Bash", input: call }] };
  };
}

const stepsMax = 12;

/** Returns the results of the `merkle agent` calls so far, oldest first. */
function listAnswers({ messages }: ModelPrompt): Record<string, unknown>[] {
  return messages.flatMap(({ role, content }) =>
    role !== "user" || typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").flatMap((block) => toAnswer(block.content)),
  );
}

function toAnswer(content: unknown): Record<string, unknown>[] {
  const text = typeof content === "string" ? content : Object(Object(content)[0]).text;
  try {
    return [Object(JSON.parse(String(text)))];
  } catch {
    return [];
  }
}
