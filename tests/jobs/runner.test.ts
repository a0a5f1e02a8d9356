import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunnableJob } from "@merkle/broker";
import { describe, expect, it, onTestFinished } from "vitest";
import { parsePsLine } from "../../apps/cli/src/core/process-table.js";
import { findCgroups, parseCgroupFolders } from "../../apps/cli/src/features/jobs/runner/cgroup.js";
import {
  type ClaudeRunnerOptions,
  startClaudeRunner,
} from "../../apps/cli/src/features/jobs/runner/claude-runner.js";
import { type StagedAgent, stageAgent, toRunnerOptions } from "./staged-agent.js";

const credential = `mkj_${"a".repeat(43)}`;

const job: RunnableJob = {
  job_id: 12,
  kind: "conclude",
  label: "12",
  parameters: { Session: "split-auth", "Document version": "3" },
  credential,
  broker_url: "http://localhost:7423",
  timeout_ms: 300_000,
};

function startRunner(agent: StagedAgent, options: Partial<ClaudeRunnerOptions> = {}) {
  return startClaudeRunner({ ...toRunnerOptions(agent), ...options });
}

const never = () => new AbortController().signal;

describe("a run", () => {
  it("[RUNNER-1] [RUNNER-2] gets the prompt on stdin, no shell, and nothing of our environment that is not its own", async () => {
    const agent = await stageAgent(
      'cat > "$here/stdin"; env > "$here/env"; printf "%s\\n" "$@" > "$here/args"',
    );
    const canary = "canary-4f1d";
    const env = {
      PATH: process.env["PATH"],
      HOME: "/root; touch /tmp/never",
      LC_ALL: "C",
      DATABASE_URL: `postgres://merkle:${canary}@db/x`,
      OPENAI_API_KEY: canary,
      MERKLE_TOKEN: canary,
      AWS_SECRET_ACCESS_KEY: canary,
      CLAUDE_CODE_MESSAGING_TOKEN: canary,
      WANTED: "yes",
    };
    const runner = await startRunner(agent, { env, environment: ["WANTED"] });
    const parameters = { Session: "split-auth", Title: "one\nJob ID: 99" };
    const result = await runner.run(never(), { ...job, parameters });
    expect(result).toEqual({ exit_code: 0, error_tail: "", error: null });
    expect(await agent.read("stdin")).toBe(
      'Use the merkle-conclude skill.\n\nJob ID: 12\nSession: split-auth\nTitle: "one\\nJob ID: 99"\n' +
        "Agent command: /usr/bin/node /opt/merkle.mjs agent\n\n" +
        "When done, exit 0. On any unrecoverable error, exit non-zero: the person who started the job sees what you wrote to stderr.\n",
    );
    const [environment, args] = [await agent.read("env"), await agent.read("args")];
    expect(environment).not.toContain(canary);
    expect(environment).toContain("HOME=/root; touch /tmp/never\n");
    expect(environment).toContain("WANTED=yes");
    expect(environment).toContain(`MERKLE_JOB_TOKEN=${credential}`);
    expect(args).not.toContain(credential);
    expect(args).not.toContain(canary);
    expect(args.split("\n")).toEqual(expect.arrayContaining(["-p", "--strict-mcp-config", "dontAsk"]));
    expect(args).not.toContain("--dangerously-skip-permissions");
  });

  it("[RUNNER-3] [RUNNER-4] ends with its exit code, the last 4 KiB of stderr, and all of it in the log but the credential", async () => {
    const logs = await mkdtemp(join(tmpdir(), "merkle-logs-"));
    onTestFinished(() => rm(logs, { recursive: true, force: true }));
    const agent = await stageAgent(
      'printf "first $MERKLE_JOB_TOKEN\\n" >&2; yes filler | head -c 20000 >&2; printf "\\033[31mlast $MERKLE_JOB_TOKEN\\033[0m" >&2; echo out; exit 3',
    );
    const runner = await startRunner(agent, { logFolder: logs });
    const { exit_code, error_tail, error } = await runner.run(never(), job);
    expect({ exit_code, error }).toEqual({ exit_code: 3, error: null });
    expect(error_tail).toMatch(/filler\n.*last \(secret\)$/);
    expect(Buffer.byteLength(error_tail)).toBeLessThanOrEqual(4_096);
    const log = await readFile(join(logs, "12.log"), "utf8");
    expect(log).toMatch(/^first \(secret\)\n/);
    expect(log.length).toBeGreaterThan(20_000);
    expect(log).not.toContain(credential);
    expect((await stat(join(logs, "12.log"))).mode & 0o077).toBe(0);
  });

  it("[RUNNER-3] tells what it said on stdout where it said nothing on stderr", async () => {
    const agent = await stageAgent("echo 'Invalid API key. Please run /login'; exit 1");
    const runner = await startRunner(agent);
    expect(await runner.run(never(), job)).toEqual({
      exit_code: 1,
      error_tail: "Invalid API key. Please run /login",
      error: null,
    });
  });

  it("[USAGE-3] says what its models used, as its client does at its end, and what its agent said there", async () => {
    const used = {
      inputTokens: 12,
      outputTokens: 3,
      cacheReadInputTokens: 900,
      cacheCreationInputTokens: 40,
    };
    const modelUsage = { "claude-opus": { ...used, costUSD: 0.25, contextWindow: 200_000 } };
    const result = { type: "result", is_error: true, result: "Credit balance is too low", modelUsage };
    const agent = await stageAgent('cat "$here/result.json"; exit 1');
    const runner = await startRunner(agent);
    await agent.write("result.json", JSON.stringify(result));
    expect(await runner.run(never(), job)).toEqual({
      exit_code: 1,
      error_tail: "Credit balance is too low",
      error: null,
      usage: [
        {
          ...{ model: "claude-opus", cost_usd: 0.25, input_tokens: 12, output_tokens: 3 },
          ...{ cache_read_tokens: 900, cache_write_tokens: 40 },
        },
      ],
    });
  });

  it("[RUNNER-8] that cannot be started is told so, with the reason", async () => {
    const agent = await stageAgent("exit 0");
    const missing = await startRunner(agent, { claudeBin: "no-such-claude" });
    expect((await missing.run(never(), job)).error).toEqual({
      reason: "unreachable",
      message: 'no program "no-such-claude" can be run',
    });
  });
});

// Several of these tests run concurrently, so each registers its clean-up with the `onTestFinished` of its own context.
const containments: readonly { containment: "namespace" | "marks"; tags: string | string[] }[] = [
  { containment: "namespace", tags: "namespaces" },
  { containment: "marks", tags: "long" },
];
describe.each(containments)("a run contained by $containment", ({ containment, tags }) => {
  it.concurrent("[RUNNER-5] leaves no daemon behind, whatever session, parent, output and signals it took", {
    tags,
  }, async ({ onTestFinished }) => {
    const agent = await stageAgent(
      `
      daemon='trap "" TERM HUP INT; echo up > '$here'/$1; while :; do sleep 1; done'
      # Orphaned in a session of its own, deaf, and still holding our output.
      (setsid sh -c "$daemon" "$here" orphan &) &
      (setsid sh -c "$daemon" "$here" silent < /dev/null > /dev/null 2>&1 &) &
      while [ ! -e "$here/orphan" ] || [ ! -e "$here/silent" ]; do sleep 0.05; done
      echo done >&2`,
      onTestFinished,
    );
    const runner = await startRunner(agent, { containment });
    expect(await runner.getContainmentKind()).toBe(containment);
    expect(await runner.run(never(), job)).toEqual({ exit_code: 0, error_tail: "done", error: null });
    expect(await agent.processes()).toEqual([]);
  });

  it.concurrent("[RUNNER-5] ends when it is told to, once, and what does not heed SIGTERM by SIGKILL", {
    tags,
  }, async ({ onTestFinished }) => {
    const deaf = await stageAgent(
      `
      trap "" TERM
      (setsid sh -c 'trap "" TERM; while :; do sleep 1; done' "$here" &) &
      echo ready > "$here/ready"; while :; do sleep 1; done`,
      onTestFinished,
    );
    const polite = await stageAgent(
      `
      told=0; trap 'told=$((told + 1))' TERM
      echo ready > "$here/ready"; while [ $told = 0 ]; do sleep 0.1; done
      # A second one would come soon.
      sleep 0.3; echo "told: $told" >&2; exit 9`,
      onTestFinished,
    );
    const runs = [deaf, polite].map(async (agent) => {
      const runner = await startRunner(agent, { containment });
      const ending = new AbortController();
      const run = runner.run(ending.signal, job);
      await expect.poll(() => agent.read("ready").catch(() => "")).toBe("ready\n");
      ending.abort();
      const result = await run;
      expect(await agent.processes()).toEqual([]);
      return result;
    });
    const [forced, heeded] = await Promise.all(runs);
    expect(forced?.exit_code).toBe(137);
    expect(heeded).toMatchObject({
      exit_code: 9,
      error: null,
      error_tail: expect.stringMatching(/told: 1$/),
    });
  });

  // Not concurrent, because a fork bomb leaves too few resources for tests with a limit of five seconds.
  it.for([
    { by: "a cgroup where there are any", cgroups: true },
    { by: "looking", cgroups: false },
  ])(
    "[RUNNER-7] that multiplies is ended with all of its processes, by $by",
    { tags },
    async ({ cgroups }, { onTestFinished }) => {
      // The fork bomb is limited to 2 ^ 8 processes, which exit after a while.
      const agent = await stageAgent(
        `
      if [ "$1" = bomb ]; then
        [ "$2" -gt 0 ] || exec sleep 20
        "$0" bomb $(($2 - 1)) & one=$!; setsid "$0" bomb $(($2 - 1)) & wait $one && wait $!; exit
      fi
      "$0" bomb 8`,
        onTestFinished,
      );
      const runner = await startRunner(agent, { containment, cgroups, processesMax: 100 });
      const { error, exit_code } = await runner.run(never(), job);
      // If the system enforces the limit, a fork fails and the fork bomb gives up.
      if (error)
        expect(error).toEqual({
          reason: "overgrown",
          message: "it had more than 100 processes at the same time",
        });
      else expect(exit_code).not.toBe(0);
      expect(await agent.processes()).toEqual([]);
    },
  );
});

it("[RUNNER-7] is in a cgroup of its own where one may be made, with all that it starts, which is removed after it", async (context) => {
  if (!(await findCgroups("merkle-try"))) return context.skip("need cgroups that may be written");
  const agent = await stageAgent(`
    cat /proc/self/mountinfo > "$here/mounts"
    setsid sh -c 'cat /proc/self/cgroup > "$0/cgroup"' "$here"`);
  const runner = await startRunner(agent);
  expect(await runner.run(never(), job)).toMatchObject({ exit_code: 0, error: null });
  const folders = parseCgroupFolders(await agent.read("cgroup"), await agent.read("mounts"));
  const own = folders.flatMap(([folder = ""]) => folder).filter((folder) => /\/merkle-[^/]*$/.test(folder));
  expect(own).not.toEqual([]);
  for (const folder of own) await expect(stat(folder)).rejects.toThrow("ENOENT");
});

it("[RUNNER-7] has the processors only when nothing else wants them once it has a quarter of the processes that it may have", async (context) => {
  if (!(await findCgroups("merkle-try"))) return context.skip("need cgroups that may be written");
  const agent = await stageAgent(`
    cat /proc/self/mountinfo > "$here/mounts"; cat /proc/self/cgroup > "$here/cgroup"
    while [ ! -e "$here/grow" ]; do sleep 0.05; done
    for n in $(seq 30); do sleep 60 & done; touch "$here/grown"; wait`);
  const runner = await startRunner(agent, { processesMax: 100 });
  const ending = new AbortController();
  const run = runner.run(ending.signal, job);
  await expect.poll(() => agent.read("cgroup").catch(() => "")).toMatch(/\/merkle-/);
  const folders = parseCgroupFolders(await agent.read("cgroup"), await agent.read("mounts"));
  const files = folders.flatMap(([folder = ""]) => join(folder, "cpu.idle"));
  const known = files.filter((file) => existsSync(file));
  // Linux before 5.15 has no cpu.idle, and a machine may delegate only the `pids` controller.
  if (known.length > 0) {
    const isIdle = async () =>
      (await Promise.all(known.map((file) => readFile(file, "utf8")))).includes("1\n");
    expect(await isIdle()).toBe(false);
    await agent.write("grow", "");
    await expect.poll(isIdle).toBe(true);
  }
  ending.abort();
  expect(await run).toMatchObject({ error: null });
});

it("[RUNNER-7] finds the folders of cgroups in both versions, and through a mount of a part", () => {
  const both = parseCgroupFolders(
    "3:cpu,cpuacct:/a\n2:memory:/a\n1:pids:/a/b\n0::/slice/scope\n",
    "30 25 0:26 / /cg/cpu rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n" +
      "31 25 0:27 /a /cg/pids rw - cgroup cgroup rw,pids\n" +
      "32 25 0:28 / /cg/memory rw - cgroup cgroup rw,memory\n" +
      "33 25 0:29 / /cg/unified rw - cgroup2 cgroup2 rw,nsdelegate\n",
  );
  expect(both).toEqual([["/cg/cpu/a"], ["/cg/pids/b"], ["/cg/unified/slice/scope", "/cg/unified/slice"]]);
  expect(parseCgroupFolders("", "")).toEqual([]);
});

it("[RUNNER-6] ends what a runner of the same folder left behind when it was killed, and nothing else", async () => {
  const agent = await stageAgent("exec sleep 60");
  const other = await stageAgent("exec sleep 60");
  const killed = await startRunner(agent, { containment: "marks" });
  const running = await startRunner(other, { containment: "marks" });
  const [ending, otherEnding] = [new AbortController(), new AbortController()];
  const runs = [killed.run(ending.signal, job), running.run(otherEnding.signal, job)];
  const countOf = (each: StagedAgent) => expect.poll(async () => (await each.processes()).length);
  await countOf(agent).toBeGreaterThan(0);
  await countOf(other).toBeGreaterThan(0);
  await startRunner(agent);
  expect(await agent.processes()).toEqual([]);
  expect(await other.processes()).not.toEqual([]);
  otherEnding.abort();
  await Promise.all(runs);
});

it("[RUNNER-6] reads the processes of a system without /proc from ps", () => {
  expect(parsePsLine("  412   1   412 Ss   Sun Nov 22 18:00:01 2026")).toEqual([
    { pid: 412, parent: 1, group: 412, session: 412, began: "Sun Nov 22 18:00:01 2026" },
  ]);
  expect(parsePsLine("  413   1   412 Z+   Sun Nov 22 18:00:01 2026")).toEqual([]);
  expect(parsePsLine("")).toEqual([]);
});

it("[RUNNER-4] 1 GB of output costs neither memory nor disk", {
  tags: "long",
}, async () => {
  const logs = await mkdtemp(join(tmpdir(), "merkle-logs-"));
  onTestFinished(() => rm(logs, { recursive: true, force: true }));
  const agent = await stageAgent(
    "head -c 500000000 /dev/zero & head -c 500000000 /dev/zero >&2; wait; echo end >&2",
  );
  const runner = await startRunner(agent, { logFolder: logs });
  const before = process.memoryUsage();
  const result = await runner.run(never(), { ...job, timeout_ms: 200_000 });
  const after = process.memoryUsage();
  expect(result).toEqual({ exit_code: 0, error_tail: "end", error: null });
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(100_000_000);
  expect((await stat(join(logs, "12.log"))).size).toBeLessThan(11_000_000);
});
