import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readConfig } from "../../config.js";
import { checkClaude } from "./check-machine.js";

/** What the check finds where this script, if any, is the `claude` of PATH. */
async function diagnoseWith(script: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), "merkle-path-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  if (script !== undefined) await writeFile(join(folder, "claude"), script, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = await readConfig({ flags: {}, env: { MERKLE_HOME: folder }, cwd: folder });
  const [finding] = await checkClaude({ config, signal: new AbortController().signal });
  return { finding, path: join(folder, "claude") };
}

describe("the check for Claude Code", () => {
  it("[CLI-1] tells where it is, and its version", async () => {
    const { finding, path } = await diagnoseWith("#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
    expect(finding).toEqual({
      id: "claude",
      status: "ok",
      message: `2.1.330 (Claude Code) at ${path}; its agents are woken by inbox, hooks, wait`,
      fix: null,
    });
  });

  it("[LAUNCH-16] warns of an older one, and of what it lacks", async () => {
    const { finding } = await diagnoseWith("#!/bin/sh\necho '2.1.300 (Claude Code)'\n");
    expect(finding).toMatchObject({
      status: "warn",
      message: expect.stringContaining("is woken by inbox and wait; hooks from 2.1.330 on"),
      fix: "claude update",
    });
  });

  it("[CLI-1] warns where it is missing or cannot run, for a machine with the broker alone needs none", async () => {
    expect((await diagnoseWith(undefined)).finding).toMatchObject({
      status: "warn",
      fix: "npm install -g @anthropic-ai/claude-code, where agents are launched",
    });
    const { finding, path } = await diagnoseWith("#!/bin/sh\nexit 9\n");
    expect(finding).toMatchObject({
      status: "warn",
      message: `${path} is there but cannot run: it ended with code 9.`,
    });
  });
});
