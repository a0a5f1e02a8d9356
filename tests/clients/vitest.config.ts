import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { toNodesConfig } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/**
 * Configuration of `npm run test:clients`, the tests with real clients from several vendors. The clients must be
 * installed from the registry and are too heavy for the normal suite. A local scripted model replies instead of real
 * models.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && toNodesConfig(bus)),
    include: ["tests/clients/cases/*.ts"],
    // The clients are installed before the run gets its own temporary folder, so that the next run can reuse the
    // installations.
    globalSetup: ["tests/clients/kit/install-clients.ts", "tests/kit/global-setup.ts"],
    // Each client takes several hundred MB, and these tests measure time.
    fileParallelism: false,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    testTimeout: 300_000,
  },
});
