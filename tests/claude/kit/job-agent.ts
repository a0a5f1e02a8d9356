import { join } from "node:path";
import type { AgentOptions } from "@merkle/broker";
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
import type { Shown } from "./shown.js";

/** What runs a broker's jobs: the real Claude Code and the real `merkle agent`, with a model that a test plays. */
export interface JobAgent {
  readonly agent: AgentOptions;
  readonly model: ScriptedModel;
}

/** @param mind - what the model does next, of all that it was shown in this run */
export async function makeJobAgent(
  cleanup: Cleanup,
  mind: (shown: Shown) => Answer,
  changes: Partial<ClaudeRunnerOptions> & Pick<AgentOptions, "timeoutsMs"> = {},
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

/** The job as it stands when it has ended. */
export async function endedJob(transport: TransportClient, job_id: number): Promise<Job> {
  const look = () => transport.call("get_job", { job_id });
  await expect.poll(async () => (await look()).completed_at, { timeout: 150_000 }).not.toBeNull();
  return look();
}

/** One step of a model that uses a skill: the command behind `merkle agent`, and what it gives on stdin. */
export interface Step {
  readonly verb: string;
  readonly input?: string;
}

/**
 * A model that loads the skill that its prompt names, and then takes these steps, as that skill tells it to write them. A step
 * may depend on what the one before it answered; it ends when there is none.
 */
export function skilled(
  next: (steps: readonly Record<string, unknown>[], shown: Shown) => Step | null,
): (shown: Shown) => Answer {
  return (shown) => {
    const skill = /Use the (\S+) skill\./.exec(shown.conversation)?.[1];
    const command = /^Agent command: (.*)$/m.exec(shown.conversation)?.[1];
    const results = shown.messages.filter(({ role }) => role === "assistant").length;
    if (results === 0) return { calls: [{ tool: "Skill", input: { skill } }] };
    // What fails time and again would be tried for ever.
    if (results > stepsMax) return { text: `I give up: ${shown.news}` };
    const step = next(answersIn(shown), shown);
    if (step === null) return { text: "Done." };
    const text =
      step.input === undefined ? "" : ` <<'MERKLE_TEXT_ENDS_HERE'\n${step.input}\nMERKLE_TEXT_ENDS_HERE`;
    const call = { command: `${command} ${step.verb}${text}`, description: "as the skill says" };
    return { calls: [{ tool: "Bash", input: call }] };
  };
}

const stepsMax = 12;

/** What `merkle agent` has answered so far, the first answer first. */
function answersIn({ messages }: Shown): Record<string, unknown>[] {
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
