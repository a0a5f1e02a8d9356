import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { toNodesConfig } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/**
 * Configuration of `npm run test:claude`, the tests with real Claude Code processes. Claude Code must be installed
 * from the registry and is too heavy for the normal suite. A local scripted model replies instead of a real model.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && toNodesConfig(bus)),
    include: ["tests/claude/cases/*.ts"],
    // The clients are installed before the run gets its own temporary folder, so that the next run can reuse the
    // installations.
    globalSetup: [
      "tests/claude/kit/install-claude.ts",
      "tests/claude/kit/install-codex.ts",
      "tests/kit/global-setup.ts",
    ],
    // Each Claude Code process takes 270 MB, and these tests measure time.
    fileParallelism: false,
    expect: { poll: { timeout: 90_000, interval: 25 } },
    testTimeout: 180_000,
  },
});
