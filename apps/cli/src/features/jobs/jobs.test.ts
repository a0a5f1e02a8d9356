import { chmod, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { testMerkle } from "../../test-kit/merkle.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { readAgentSettings } from "./runner/agent-settings.js";

/** A script that replaces Claude Code. Its behaviour depends on the session's name. */
const script = `#!/bin/sh
prompt=$(cat)
case "$prompt" in
  *"Session: idle"*) exit 0;;
  *"Session: broken"*) echo "no such skill" >&2; exit 4;;
  *) echo $$ > "$HOME/agent-runs"; while :; do sleep 0.2; done;;
esac
`;

async function writeAgent(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const claude_bin = join(dirname(home), "claude-for-jobs");
  await writeFile(claude_bin, script);
  await chmod(claude_bin, 0o755);
  await writeFile(join(home, "config.json"), JSON.stringify({ agent: { claude_bin } }));
}

describe("merkle jobs", () => {
  const merkle = setUpSharedMerkle(writeAgent);
  const create = (slug: string) =>
    callBroker(merkle, "create_session", { title: slug, slug, creator_team_name: "Atlas" });

  it("[JOB-14] runs a job, follows it to its end, lists it, and tells why it failed", async () => {
    await create("idle");
    expect(await merkle.run(["jobs", "list"])).toEqual({ code: 0, stdout: "", stderr: "no jobs\n" });
    expect(await merkle.run(["jobs", "run", "idle", "conclude"])).toEqual({
      code: 0,
      stdout: "job 1 queued\n",
      stderr: "  follow: merkle jobs show 1 -f\n",
    });
    const followed = await merkle.run(["jobs", "show", "1", "-f"]);
    expect(followed.code).toBe(1);
    expect(followed.stdout).toMatch(
      /^job 1: conclude of idle\nfailed: Agent finished without producing a proposal. Retry.\nby \S+.*\n\n {2}agent exited 0 but produced no proposal\n$/,
    );
    await create("broken");
    await merkle.run(["jobs", "run", "broken", "conclude"]);
    const shown = JSON.parse((await merkle.run(["jobs", "show", "2", "-f", "--json"])).stdout);
    expect(shown).toMatchObject({ status: "failed", exit_code: 4, error_tail: "no such skill" });
    expect(await readFile(join(merkle.home, "logs", "jobs", "2.log"), "utf8")).toBe("no such skill\n");
    const { stdout } = await merkle.run(["jobs", "list"]);
    expect(stdout).toMatch(
      /^2 {2}broken {2}conclude {2}failed {2}\d+s {2}Agent failed with exit code 4. See its log.\n1 {2}idle {4}conclude {2}failed {2}/,
    );
    expect((await merkle.run(["jobs", "list", "idle", "--json"])).stdout).toContain('"job_id":1');
  });

  it("[JOB-14] cancels a job that runs", { tags: "long" }, async () => {
    await create("long");
    const started = await merkle.run(["jobs", "run", "long", "conclude", "--json"]);
    const { job_id } = JSON.parse(started.stdout);
    const status = async () =>
      JSON.parse((await merkle.run(["jobs", "show", String(job_id), "--json"])).stdout).status;
    await expect.poll(status).toBe("running");
    expect(await merkle.run(["jobs", "cancel", String(job_id)])).toMatchObject({ code: 0 });
    expect(await status()).toBe("cancelled");
    expect(await merkle.run(["jobs", "cancel", String(job_id)])).toMatchObject({ code: 6 });
  });

  it("[JOB-14] says what is wrong with what was asked for", async () => {
    await create("refused");
    expect(await merkle.run(["jobs", "run", "refused", "rewrite"])).toMatchObject({ code: 2 });
    expect(await merkle.run(["jobs", "run", "refused", "incorporate", "--topic", "7"])).toMatchObject({
      code: 5,
    });
    expect(await merkle.run(["jobs", "run", "refused", "incorporate"])).toMatchObject({ code: 2 });
    expect(await merkle.run(["jobs", "show", "999"])).toMatchObject({ code: 5 });
  });
});

it("[JOB-8] [JOB-9] [RUNNER-5] a broker that is killed leaves no agent behind; the next one says so, and starts without claude", {
  tags: "long",
}, async () => {
  const merkle = await testMerkle();
  await writeAgent(merkle.home);
  await merkle.run(["up", "--port", "0", "--detach"]);
  await callBroker(merkle, "create_session", { title: "long", slug: "long", creator_team_name: "Atlas" });
  await merkle.run(["jobs", "run", "long", "conclude"]);
  const { pid } = await merkle.readRunFile();
  const folder = join(merkle.home, "agent");
  await expect.poll(() => countAgents(folder)).toBeGreaterThan(0);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => countAgents(folder)).toBe(0);
  await writeFile(
    join(merkle.home, "config.json"),
    JSON.stringify({ agent: { claude_bin: "no-such-claude" } }),
  );
  expect(await merkle.run(["up", "--port", "0", "--detach"])).toMatchObject({ code: 0 });
  const { stdout } = await merkle.run(["jobs", "list"]);
  expect(stdout).toContain("Agent failed: server restarted.");
  await merkle.run(["jobs", "run", "long", "conclude"]);
  const shown = await merkle.run(["jobs", "show", "2", "-f"]);
  expect(shown.stdout).toContain("failed: Agent is unreachable. Check that claude is installed.");
  expect(shown.stdout).toContain('agent unreachable: no program "no-such-claude" can be run');
});

it("[RUNNER-2] no secret of the broker's environment reaches an agent, its arguments, its log or the database", async () => {
  const merkle = await testMerkle();
  await mkdir(merkle.home, { recursive: true });
  const claude_bin = join(dirname(merkle.home), "claude-that-tells");
  // Writes its whole input and environment to stderr, which ends up in the log, the job and the database.
  await writeFile(claude_bin, '#!/bin/sh\n(env; printf "%s\\n" "$@"; cat) | grep -v "^PATH=" >&2; exit 3\n');
  await chmod(claude_bin, 0o755);
  await writeFile(join(merkle.home, "config.json"), JSON.stringify({ agent: { claude_bin } }));
  const canary = "canary-91c7";
  const names = ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PGPASSWORD", "SSH_AUTH_SOCK"];
  const env = Object.fromEntries(names.map((name) => [name, canary]));
  await merkle.run(["up", "--port", "0", "--detach"], { env });
  await callBroker(merkle, "create_session", { title: "told", slug: "told", creator_team_name: "Atlas" });
  await merkle.run(["jobs", "run", "told", "conclude"]);
  const { stdout } = await merkle.run(["jobs", "show", "1", "-f", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 3 });
  const log = await readFile(join(merkle.home, "logs", "jobs", "1.log"), "utf8");
  expect(log).toContain("MERKLE_JOB_TOKEN=(secret)");
  expect(log).toContain("Use the merkle-conclude skill.");
  const backup = join(dirname(merkle.home), "all.backup");
  await merkle.run(["backup", backup]);
  const stored = gunzipSync(await readFile(backup)).toString("latin1");
  expect(stored).toContain("MERKLE_JOB_TOKEN=(secret)");
  const brokerLog = await readFile(join(merkle.home, "logs", "broker.log"), "utf8");
  for (const text of [stdout, log, brokerLog, stored]) {
    expect(text).not.toContain(canary);
    expect(text).not.toMatch(/mkj_[\w-]{43}/);
  }
});

it("[JOB-13] a bad agent block stops the broker's start, and nothing else", async () => {
  const merkle = await testMerkle();
  await mkdir(merkle.home, { recursive: true });
  await writeFile(join(merkle.home, "config.json"), '{"agent": {"max_concurrent_jobs": -1}}');
  const started = await merkle.run(["up", "--port", "0"]);
  expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining("agent.max_concurrent_jobs") });
  expect(await merkle.run(["config", "path"])).toMatchObject({ code: 0 });
});

describe("agent in config.json", () => {
  const read = (agent: unknown) => readAgentSettings(agent, "/home/ana/.merkle/config.json");

  it("[JOB-13] has a default for everything but the author", () => {
    expect(read(undefined)).toEqual({
      author: undefined,
      roots: {},
      claudeBin: "claude",
      agentBin: undefined,
      maxConcurrentJobs: 1,
      timeoutsMs: { conclude: 300_000, incorporate: 300_000, perspective: 180_000 },
      logDir: "/home/ana/.merkle/logs/jobs",
      skipPermissions: false,
      remoteRunners: false,
      environment: [],
    });
    expect(
      read({
        author_name: "Merkle Agent",
        author_email: "agent@merkle.local",
        claude_bin: "/opt/claude",
        max_concurrent_jobs: 4,
        conclude_timeout: "1m30s",
        perspective_timeout: "1h",
        log_dir: "",
        skip_permissions: true,
        environment: ["AWS_REGION"],
      }),
    ).toMatchObject({
      author: { name: "Merkle Agent", email: "agent@merkle.local" },
      claudeBin: "/opt/claude",
      maxConcurrentJobs: 4,
      timeoutsMs: { conclude: 90_000, incorporate: 300_000, perspective: 3_600_000 },
      logDir: undefined,
      skipPermissions: true,
      environment: ["AWS_REGION"],
    });
    expect(read({ log_dir: "agent-logs" }).logDir).toBe("/home/ana/.merkle/agent-logs");
  });

  it.each([
    [[], "must be an object"],
    [{ claude: "x" }, "must not contain"],
    [{ author_name: "Merkle Agent" }, "author_email"],
    [{ author_name: "A <b>", author_email: "a@b" }, "author_name"],
    [{ author_name: "", author_email: "a@b" }, "author_name"],
    [{ max_concurrent_jobs: -1 }, "max_concurrent_jobs"],
    [{ remote_runners: "yes" }, "remote_runners"],
    [{ conclude_timeout: "5" }, "conclude_timeout"],
    [{ perspective_timeout: "0s" }, "perspective_timeout"],
    [{ incorporate_timeout: 300 }, "incorporate_timeout"],
    [{ skip_permissions: "yes" }, "skip_permissions"],
    [{ environment: ["A=B"] }, "environment"],
    [{ log_dir: 7 }, "log_dir"],
  ])("[JOB-13] refuses %j, naming what is wrong", (agent, named) => {
    expect(() => read(agent)).toThrow(named);
  });
});

/** Counts the processes that run in a folder. */
async function countAgents(folder: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return folders.filter((each) => each === folder).length;
}
