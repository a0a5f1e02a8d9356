import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { startFixtureServer } from "./fixture-server.js";

const program = fileURLToPath(
  new URL(
    "../../tools/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js",
    import.meta.url,
  ),
);
const baseline = fileURLToPath(new URL("baseline.yml", import.meta.url));

it("[MCP-12] the broker's transport, with a server of all features behind it, passes every active scenario of the official suite", async () => {
  const { url, stop } = await startFixtureServer();
  onTestFinished(stop);

  const { code, printed } = await runSuite(["--url", url]);

  expect(code, printed).toBe(0);
  expect(printed.match(/^✓/gm), printed).toHaveLength(30);
}, 90_000);

it.each(["/mcp", "/api/mcp"])(
  "[MCP-12] the broker at %s passes each scenario that its features allow",
  async (path) => {
    const { url } = await startTestBroker();

    const { code, printed } = await runSuite(["--url", url + path, "--expected-failures", baseline]);

    expect(code, printed).toBe(0);
  },
  90_000,
);

/** Runs the suite's active scenarios; the exit code is 0 when they passed, or failed just as the baseline says. */
async function runSuite(args: readonly string[]): Promise<{ code: number | null; printed: string }> {
  if (!existsSync(program)) {
    throw new Error("The conformance suite is not installed: run npm ci --prefix tools/conformance.");
  }
  const child = spawn(process.execPath, [program, "server", "--suite", "active", ...args], {
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
