import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { RunnableJob } from "@merkle/broker";
import { describe, expect, it, onTestFinished } from "vitest";
import { listProcesses } from "../../apps/cli/src/core/process-table.js";
import {
  type RunnerProcessOptions,
  startRunnerProcess,
} from "../../apps/cli/src/features/jobs/runner/start-runner-process.js";
import { type StagedAgent, stageAgent, toRunnerOptions } from "./staged-agent.js";

const job: RunnableJob = {
  job_id: 12,
  kind: "conclude",
  label: "12",
  parameters: { Session: "split-auth" },
  credential: `mkj_${"a".repeat(43)}`,
  broker_url: "http://localhost:7423",
  timeout_ms: 30_000,
};

async function start(agent: StagedAgent, options: Partial<RunnerProcessOptions> = {}) {
  const runner = await startRunnerProcess({ ...toRunnerOptions(agent), ...options });
  onTestFinished(async () => runner.close?.());
  return runner;
}

/** Returns the runner processes that this process started. */
async function findRunnerProcesses(): Promise<number[]> {
  const children = (await listProcesses()).filter(({ parent }) => parent === process.pid);
  const commands = await Promise.all(
    children.map(async ({ pid }) => ({
      pid,
      command: await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    })),
  );
  return commands.filter(({ command }) => command.includes("runner-process.js")).map(({ pid }) => pid);
}

const never = () => new AbortController().signal;
const succeeded = { exit_code: 0, error_tail: "", error: null };

it("[RUNNER-10] agents are run by a process of its own, several at once, from the first one on until nothing is asked of it", async () => {
  const agent = await stageAgent('echo x >> "$here/began"; while [ ! -e "$here/go" ]; do sleep 0.05; done');
  const runner = await start(agent, { idleMs: 200 });
  expect(await findRunnerProcesses()).toEqual([]);
  const runs = [runner.run(never(), job), runner.run(never(), { ...job, job_id: 13, label: "13" })];
  await expect.poll(() => agent.read("began").catch(() => "")).toBe("x\nx\n");
  const [first, ...others] = await findRunnerProcesses();
  expect(others).toEqual([]);
  await agent.write("go", "");
  expect(await Promise.all(runs)).toEqual([succeeded, succeeded]);
  expect(await runner.describe?.()).toMatchObject({ program: agent.program, permissions: "listed" });
  await expect.poll(findRunnerProcesses).toEqual([]);

  expect(await runner.run(never(), job)).toEqual(succeeded);
  expect(await findRunnerProcesses()).not.toContain(first);
  await runner.close?.();
  expect(await findRunnerProcesses()).toEqual([]);
});

it("[RUNNER-10] is gone once the runner is closed, also when its end had begun by itself", async () => {
  const runner = await start(await stageAgent("exit 0"), { idleMs: 0 });
  expect(await runner.run(never(), job)).toEqual(succeeded);
  await setTimeout(5);
  await runner.close?.();
  expect(await findRunnerProcesses()).toEqual([]);
});

it("[RUNNER-10] is given nothing of the broker's environment that is not an agent's", async () => {
  const agent = await stageAgent('env > "$here/env"; echo up > "$here/up"; sleep 60');
  const env = { ...process.env, DATABASE_URL: "canary-51f2", WANTED: "yes" };
  const runner = await start(agent, { env, environment: ["WANTED"] });
  const ending = new AbortController();
  const run = runner.run(ending.signal, job);
  await expect.poll(() => agent.read("up").catch(() => "")).toBe("up\n");
  const [pid] = await findRunnerProcesses();
  const environments = [await readFile(`/proc/${pid}/environ`, "latin1"), await agent.read("env")];
  for (const each of environments) {
    expect(each).toContain("WANTED=yes");
    expect(each).not.toContain("canary-51f2");
  }
  ending.abort();
  expect(await run).toMatchObject({ exit_code: 143, error: null });
});

describe.each(["namespace", "marks"] as const)("agents contained by %s", (containment) => {
  it("[RUNNER-10] have ended with the process that ran them when their jobs fail, and another one runs the next", async () => {
    const agent = await stageAgent(
      '[ -e "$here/up" ] && exit 0; (setsid sleep 60 &); echo up > "$here/up"; exec sleep 60',
    );
    const runner = await start(agent, { containment });
    const run = runner.run(never(), job);
    await expect.poll(() => agent.read("up").catch(() => "")).toBe("up\n");
    const [pid = 0] = await findRunnerProcesses();
    process.kill(pid, "SIGKILL");
    expect(await run).toEqual({
      exit_code: null,
      error_tail: "",
      error: { reason: "unreachable", message: "the process that runs agents ended (SIGKILL)" },
    });
    expect(await agent.processes()).toEqual([]);
    expect(await runner.run(never(), job)).toEqual(succeeded);
  });
});
