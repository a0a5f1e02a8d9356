import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { type StartedCommand, testMerkle } from "../../test-kit/merkle.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

/**
 * A script that replaces Claude Code. Depending on the session, it exits immediately, waits for a file, or
 * can only be killed.
 */
const script = `#!/bin/sh
prompt=$(cat)
case "$prompt" in
  *"Session: broken"*) echo "no such skill" >&2; exit 4;;
  *"Session: patient"*) touch "$HOME/patient-began"; while [ ! -e "$HOME/patient-may-end" ]; do sleep 0.1; done; exit 3;;
  *"Session: polite"*) touch "$HOME/polite-began"; while :; do sleep 0.1; done;;
  *) trap "" TERM; (setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' deaf-daemon "$HOME" &)
     touch "$HOME/deaf-began"; while :; do sleep 0.2; done;;
esac
`;

async function writeAgent(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const claude_bin = join(dirname(home), "claude-for-runner");
  await writeFile(claude_bin, script);
  await chmod(claude_bin, 0o755);
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ agent: { claude_bin, max_concurrent_jobs: 0 } }),
  );
}

describe("merkle runner", () => {
  const merkle = setUpSharedMerkle(writeAgent);
  const queue = async (slug: string) => {
    await callBroker(merkle, "create_session", { title: slug, slug, creator_team_name: "Atlas" });
    const { stdout } = await merkle.run(["jobs", "run", slug, "conclude", "--json"]);
    return Number(JSON.parse(stdout).job_id);
  };
  const show = async (job: number) =>
    JSON.parse((await merkle.run(["jobs", "show", String(job), "--json"])).stdout);
  const exists = (name: string) =>
    readFile(join(merkle.home, name)).then(
      () => true,
      () => false,
    );
  const startRunner = async (...args: string[]): Promise<StartedCommand> => {
    const runner = merkle.start(["runner", ...args]);
    onTestFinished(() => void runner.process.kill("SIGKILL"));
    await runner.waitForOutput("running jobs");
    return runner;
  };
  const interrupt = async (runner: StartedCommand) => {
    runner.process.kill("SIGINT");
    return runner.ended;
  };

  it("[RUNNER-20] [RUNNER-22] does what the broker itself does not, says so, and is one in its home", async () => {
    const runner = await startRunner();
    const job = await queue("broken");
    await runner.waitForOutput("exit code 4");
    expect(await show(job)).toMatchObject({ status: "failed", exit_code: 4, error_tail: "no such skill" });
    expect((await show(job)).runner).toMatch(/\S/);
    expect(await readFile(join(merkle.home, "logs", "jobs", "runner", `${job}.log`), "utf8")).toBe(
      "no such skill\n",
    );
    expect(await merkle.run(["runner"])).toMatchObject({ code: 6 });
    const { code, stdout } = await interrupt(runner);
    expect(code).toBe(0);
    expect(stdout).toContain(`job ${job} `);
  });

  it("[RUNNER-23] goes on while the broker is started again, and its job ends once", {
    tags: "long",
  }, async () => {
    const runner = await startRunner();
    const job = await queue("patient");
    await expect.poll(() => exists("patient-began")).toBe(true);
    const { port } = await merkle.readRunFile();
    await merkle.run(["down"]);
    await merkle.run(["up", "--port", String(port), "--detach"]);
    expect(await show(job)).toMatchObject({ status: "running" });
    await writeFile(join(merkle.home, "patient-may-end"), "");
    await expect.poll(async () => (await show(job)).status).toBe("failed");
    expect(await show(job)).toMatchObject({ exit_code: 3 });
    await interrupt(runner);
  });

  it("[RUNNER-5] [RUNNER-23] leaves nothing of a job that was cancelled, nor of itself when it is stopped", async () => {
    const runner = await startRunner("--max", "2");
    const cancelled = await queue("polite");
    const stopped = await queue("deaf");
    for (const name of ["polite-began", "deaf-began"]) await expect.poll(() => exists(name)).toBe(true);
    await merkle.run(["jobs", "cancel", String(cancelled)]);
    await runner.waitForOutput("cancelled");
    await interrupt(runner);
    expect(await findDaemons(merkle.home)).toEqual([]);
    expect(await show(stopped)).toMatchObject({
      status: "failed",
      message: "Agent failed: its runner was stopped.",
    });
  });
});

it("[RUNNER-22] a machine without the agent's program takes no jobs", async () => {
  const merkle = await testMerkle();
  await mkdir(merkle.home, { recursive: true });
  await writeFile(join(merkle.home, "config.json"), '{"agent": {"claude_bin": "no-such-claude"}}');
  const { code, stderr } = await merkle.run(["runner"]);
  expect(code).toBe(5);
  expect(stderr).toContain("no-such-claude");
  expect(await merkle.run(["runner", "--kinds", "rewrite"])).toMatchObject({ code: 2 });
});

/** Finds background processes that this home's agent left behind. */
async function findDaemons(home: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
      return command.includes("deaf-daemon") && command.includes(home) ? [pid] : [];
    }),
  );
  return found.flat();
}
