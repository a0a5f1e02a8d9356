import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { getClient } from "../../clients/clients.js";
import { readConfig } from "../../settings/config.js";
import { checkClients, describeNode } from "./check-machine.js";

/** Runs the check with a PATH that contains only these scripts. */
async function diagnose(scripts: Readonly<Record<string, string>>, named?: string) {
  const folder = await mkdtemp(join(tmpdir(), "merkle-path-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, script] of Object.entries(scripts))
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const config = await readConfig({ flags: {}, env: { MERKLE_HOME: folder, PATH: folder }, cwd: folder });
  const findings = await checkClients({
    config,
    signal: new AbortController().signal,
    client: named === undefined ? undefined : getClient(named),
  });
  return { folder, findings };
}

/**
 * Runs the check with these programs installed.
 *
 * @param versions - the version string that each program prints
 */
function diagnoseAll(versions: Readonly<Record<string, string>>) {
  return diagnose(
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, `echo '${version}'`])),
  );
}

async function diagnoseWith(script: string | undefined, named = "claude") {
  const { folder, findings } = await diagnose(script === undefined ? {} : { claude: script }, named);
  return { finding: findings[0], path: join(folder, "claude") };
}

it("recommends Node 22 where additional authorities make every start slow", () => {
  const trust = { NODE_EXTRA_CA_CERTS: "/ca.pem" };
  expect(describeNode("20.19.0", trust)).toMatchObject({
    status: "warn",
    fix: expect.stringContaining("Node 22"),
  });
  expect(describeNode("22.0.0", trust)).toMatchObject({ status: "ok", message: "Node 22.0.0" });
  expect(describeNode("20.19.0", {})).toMatchObject({ status: "ok" });
});

describe("the check for agents' clients", () => {
  it("[VENDOR-6] [CLI-183] [CLI-184] tells of each client that is here what it can and cannot do, and of the others how to get them", async () => {
    const { folder, findings } = await diagnoseAll({
      codex: "codex-cli 0.169.0",
      gemini: "0.61.0",
      opencode: "1.2.3",
    });
    expect(findings.filter(({ status }) => status === "skipped").map(({ message }) => message)).toEqual([
      "Claude Code is not installed; to use its agents: npm install -g @anthropic-ai/claude-code",
      expect.stringContaining("npm install -g @github/copilot"),
      expect.stringContaining("Cursor is not installed"),
    ]);
    expect(findings.filter(({ status }) => status !== "skipped")).toEqual([
      {
        id: "codex",
        status: "ok",
        message: `codex-cli 0.169.0 at ${folder}/codex; its agents are woken by inbox, hooks, wait; it has no answers to its questions there`,
        fix: null,
      },
      {
        id: "gemini",
        status: "ok",
        message: `0.61.0 at ${folder}/gemini; its agents are woken by hooks, wait; it has no approvals on other devices, no answers to its questions there, no token usage, no warnings before it edits claimed files. an idle Gemini CLI cannot be woken: reads at its next turn; merkle launch --client acp -- gemini --acp wakes it`,
        fix: null,
      },
      {
        id: "opencode",
        status: "warn",
        message: `1.2.3 at ${folder}/opencode; its agents are woken by wait; it has no answers to its questions there, no token usage, no warnings before it edits claimed files; older than 1.18.33, the version that was tried. 1.2.3 can be woken only through a wait; inbox and hooks need 1.18.0`,
        fix: "npm install -g opencode-ai@latest",
      },
    ]);
  });

  it("[CLI-184] names a version that is newer than the one that was tried, and that Cursor was not tried itself", async () => {
    const { findings } = await diagnoseAll({
      codex: "codex-cli 0.170.1",
      "cursor-agent": "2026.11.01-1a2b3c4",
    });
    const [codex, cursor] = findings.filter(({ status }) => status !== "skipped");
    expect(codex?.message).toContain("; newer than 0.169.0, the version that was tried");
    expect(cursor?.message).toContain("; tried with a stand-in that follows its documentation");
  });

  it("[CLI-1] tells where it is, and its version", async () => {
    const { finding, path } = await diagnoseWith("echo '2.1.330 (Claude Code)'");
    expect(finding).toEqual({
      id: "claude",
      status: "ok",
      message: `2.1.330 (Claude Code) at ${path}; its agents are woken by inbox, hooks, wait`,
      fix: null,
    });
  });

  it("[LAUNCH-16] warns of an older one, and of what it lacks", async () => {
    const { finding } = await diagnoseWith("echo '2.1.300 (Claude Code)'");
    expect(finding).toMatchObject({
      status: "warn",
      message: expect.stringContaining("can be woken only through its inbox and a wait; hooks need 2.1.330"),
      fix: "claude update",
    });
  });

  it("[CLI-1] fails where it is missing or cannot run", async () => {
    expect((await diagnoseWith(undefined)).finding).toMatchObject({
      status: "fail",
      fix: "npm install -g @anthropic-ai/claude-code, on the machine that launches agents",
    });
    const { finding, path } = await diagnoseWith("exit 9");
    expect(finding).toMatchObject({
      status: "fail",
      message: `${path} exists but cannot run: it exited with code 9.`,
    });
  });
});
