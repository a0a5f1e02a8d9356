import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { nodesOf } from "./kit/tested-nodes.js";

/** The campaign of the nodes takes an hour, and runs where it is asked for: `npm run test:nodes -- campaign`. */
const atLength = process.argv.some((argument) => argument.includes("campaign"));

/** The tests that speak to a broker by its address, with three nodes behind nginx in its place: `npm run test:nodes`. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...nodesOf(process.env["MERKLE_TEST_BUS"]),
    // Three brokers a test need more of the machine than one.
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
