import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

/** Runs a command line in a shell in which `$M` runs merkle with the home that these tests share. */
async function type(line: string, env: Readonly<Record<string, string>> = {}) {
  const { home } = merkle;
  const { url } = await merkle.readRunFile();
  const shell = spawn("sh", ["-c", line], {
    cwd: home,
    env: {
      ...{ PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home, MERKLE_URL: url, LANG: "C.UTF-8" },
      M: `${process.execPath} ${inject("program")}`,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  shell.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  shell.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = await once(shell, "close");
  return { code, stdout, stderr };
}

describe("a strange environment", { tags: "posix" }, () => {
  it("[CLI-144] in a deleted folder hooks say nothing, launch refuses, and other commands use the home", async () => {
    const inDeleted = (command: string) => type(`mkdir -p gone && cd gone && rmdir ../gone && $M ${command}`);
    for (const hook of ["hook session-start", "hook mail", "hook event gemini Stop"])
      expect(await inDeleted(hook)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await inDeleted("status")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("broker up"),
      stderr: `The current folder was deleted; merkle uses ${merkle.home} instead.\n`,
    });
    expect(await inDeleted("status --json")).toMatchObject({ code: 0, stderr: "" });
    expect(await inDeleted("launch -y")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The current folder was deleted."),
    });
  });

  it("[CLI-145] a closed pipe is no failure, and a full disk at stdout is one that is said in a sentence", {
    tags: "linux",
  }, async () => {
    for (const command of ["config list", "version --json", "help"])
      expect([command, await type(`$M ${command} > /dev/full`)]).toEqual([
        command,
        { code: 1, stdout: "", stderr: "The output could not be written: no space is left there.\n" },
      ]);
    expect(await type("{ $M help all; echo ended $? >&2; } | true")).toMatchObject({ stderr: "ended 0\n" });
    expect(await type("$M ls nothing > /dev/full 2>&1")).toMatchObject({ code: 2 });
  });

  it("[CLI-162] on a read-only home a command that writes says why it cannot and what to set, and others work", {
    tags: "read-only",
  }, async () => {
    const home = await makeReadOnlyHome();
    const bin = join(merkle.home, "read-only-bin");
    await mkdir(bin);
    await writeFile(join(bin, "claude"), "#!/bin/sh\necho '2.1.330 (Claude Code)'\n", { mode: 0o755 });
    const env = { HOME: home, MERKLE_HOME: join(home, ".merkle"), PATH: `${bin}:${process.env["PATH"]}` };

    const refusal =
      /^✗ .*(?:on a read-only file system|cannot be (?:written|created)|no permission to write).* [Ss]et .*MERKLE_HOME to /m;
    for (const command of [
      "up --port 0",
      "up --port 0 --detach",
      "install -y",
      "install --cli",
      "new Title",
    ]) {
      const { code, stderr } = await type(`$M ${command}`, env);
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(refusal)]);
      expect(stderr).not.toMatch(/unexpected|No space|no space/);
    }
    expect(await type("$M ls", env)).toMatchObject({ code: 0 });
    expect(await type("$M hook session-start", env)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await type("$M doctor", env)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("fix: set MERKLE_HOME to a writable folder"),
    });
  });
});

/** Creates a home that this user cannot write to. For root, that requires a read-only mount. */
async function makeReadOnlyHome(): Promise<string> {
  const home = join(merkle.home, "read-only");
  await mkdir(home);
  if (process.getuid?.() !== 0) {
    await chmod(home, 0o500);
    onTestFinished(() => chmod(home, 0o700));
    return home;
  }
  await promisify(execFile)("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", home]);
  onTestFinished(async () => {
    await promisify(execFile)("umount", ["--lazy", home]);
  });
  return home;
}
