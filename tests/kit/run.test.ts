import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForPidExit } from "../../packages/db/src/embedded/test-support.js";
import { findNeeds } from "./preparations.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface StagedRun {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly lines: string[] }>;
}

/** Runs `npm test -- <word>` with the tests in `staged-run`. */
function startRun(word: string): StagedRun {
  const config = "--config=tests/kit/staged-run/vitest.config.ts";
  const child = spawn(process.execPath, ["scripts/test.mjs", config, word], { cwd: root });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill();
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const ended = once(child, "close").then(([code]) => ({ code, lines: output.trimEnd().split("\n") }));
  return { child, output: () => output, ended };
}

describe("a run of the tests", () => {
  it("gives the reason of a failure when it happens and at the end, says what was left out and why, and counts", async () => {
    const { code, lines } = await startRun("mixed").ended;
    expect(code).toBe(1);
    expect(lines.slice(-2)).toEqual([
      "3 left out: 2 need a unicorn (apt-get install unicorn), 1 need a full moon",
      "1 passed, 1 failed",
    ]);
    const text = lines.join("\n");
    expect(text.match(/FAILED {2}tests\/kit\/staged-run\/mixed\.ts > fails\n.*AssertionError/g)).toHaveLength(
      2,
    );
    expect(text.match(/expected 'what came' to be 'what was expected'/g)).toHaveLength(2);
    expect(text).toMatch(/^0:\d\d {2}running the tests of 1 file …$/m);
  });

  it("fails when a process or a listener of it is left, names these, and removes all that it wrote", {
    tags: "linux",
  }, async () => {
    const { code, lines } = await startRun("leaves").ended;
    expect(code).toBe(1);
    const left = lines.filter((line) => line.startsWith("the tests left behind: "));
    expect(left).toEqual([expect.stringMatching(/process \d+ \(.*createServer.*\), listening on \d+$/)]);
    expect(lines.at(-1)).toBe("1 passed, 1 failed");
    await waitForPidExit(Number(/process (\d+)/.exec(left.join())?.[1]));
  });

  it("leaves nothing when it is killed", { tags: "linux" }, async () => {
    const { child, output, ended } = startRun("hangs");
    await expect.poll(output).toMatch(/^\{"pids".*\}$/m);
    const { pids, folder } = JSON.parse(/^\{"pids".*\}$/m.exec(output())?.[0] ?? "");
    child.kill("SIGKILL");
    await ended;
    for (const pid of pids) await waitForPidExit(pid);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });
});

it("CI runs the command of the README", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  expect(read("README.md")).toMatch(/^npm test /m);
  expect(read(".ci/run")).toMatch(/^npm test \|/m);
});

it("a run prepares what its files need, and nothing else", () => {
  const needsOf = (path: string) => [...findNeeds([fileURLToPath(new URL(path, import.meta.url))])].sort();
  expect(needsOf("../rules.test.ts")).toEqual([]);
  expect(needsOf("../../packages/db/src/feed/append-messages.test.ts")).toEqual(["postgres"]);
  expect(needsOf("../stdio/briefs.test.ts")).toEqual(["postgres", "program"]);
  expect(needsOf("../../apps/cli/src/commands/own-home.test.ts")).toEqual(["preparedHome", "program"]);
  expect(needsOf("../conformance/conformance.test.ts")).toEqual(["conformance", "postgres", "program"]);
  expect(needsOf("../dashboard/tasks.test.ts")).toEqual(["dashboard", "postgres", "program"]);
});
