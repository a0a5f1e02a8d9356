import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createDescription } from "./describe-runner.js";

it("[DASH-276] a runner tells which program agents are, as it is installed at that moment, or what hinders them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-describe-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const claudeBin = join(folder, "claude");
  const describe = createDescription({
    claudeBin,
    skipPermissions: false,
    environment: [],
    env: { PATH: process.env["PATH"], MERKLE_TOKEN: "canary" },
    processesMax: 64,
    getContainmentKind: async () => "marks",
  });
  expect(await describe()).toMatchObject({
    version: null,
    problem: `No program "${claudeBin}" can be run here. Install Claude Code, or name it as agent.claude_bin in config.json.`,
  });
  const install = async (script: string) => {
    await writeFile(claudeBin, `#!/bin/sh\n${script}\n`);
    await chmod(claudeBin, 0o755);
  };
  await install('echo "2.1.207 (Claude Code) $1$MERKLE_TOKEN"');
  expect(await describe()).toEqual({
    host: expect.any(String),
    program: claudeBin,
    version: "2.1.207 (Claude Code) --version",
    problem: null,
    containment: "marks",
    permissions: "listed",
    processes_max: 64,
  });
  await install("echo no licence >&2; exit 3");
  expect(await describe()).toMatchObject({
    version: null,
    problem: expect.stringContaining("could not be run"),
  });
});
