import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { nodesOf } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/**
 * Real clients of several vendors, by `npm run test:clients`: they are installed from the registry, and too heavy for the
 * normal suite. No model is asked: a scripted one of this machine answers.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && nodesOf(bus)),
    include: ["tests/clients/cases/*.ts"],
    // The programs are installed before the temporary folder is the run's own, so that the next run has them.
    globalSetup: ["tests/clients/kit/install-clients.ts", "tests/kit/global-setup.ts"],
    // Each is several hundred MB, and what is measured here is time.
    fileParallelism: false,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    testTimeout: 300_000,
  },
});
