import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { toNodesConfig } from "./kit/tested-nodes.js";

/** The multi-node campaign takes an hour, so it runs only on request: `npm run test:nodes -- campaign`. */
const atLength = process.argv.some((argument) => argument.includes("campaign"));

/**
 * Configuration of `npm run test:nodes`. Tests that reach the broker only through its URL run against three nodes
 * behind nginx.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...toNodesConfig(process.env["MERKLE_TEST_BUS"]),
    // Each test starts three brokers, so fewer test files run in parallel.
    maxWorkers: 2,
    include: [
      "tests/nodes/rolling-restart.ts",
      ...(atLength ? ["tests/nodes/campaign/campaign.ts"] : []),
      "tests/transports/**/*.test.ts",
      "tests/mcp/**/*.test.ts",
      "tests/tail/**/*.test.ts",
      "tests/stdio/**/*.test.ts",
      "tests/faults/**/*.test.ts",
    ],
  },
});
