import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, inject, it } from "vitest";
import { sharedMerkle } from "../test-kit/shared-merkle.js";

const merkle = sharedMerkle();

/** Runs a line of a shell, in which `$M` is merkle on the home of this file. */
async function type(line: string, env: Readonly<Record<string, string>> = {}) {
  const { home } = merkle;
  const { url } = await merkle.running();
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
});
