import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { nodesOf } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/**
 * Real Claude Code processes, by `npm run test:claude`: they are installed from the registry, and too heavy for the normal
 * suite. No model is asked: a scripted one of this machine answers.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && nodesOf(bus)),
    include: ["tests/claude/cases/*.ts"],
    // The program is installed before the temporary folder is the run's own, so that the next run has it.
    globalSetup: ["tests/claude/kit/install-claude.ts", "tests/kit/global-setup.ts"],
    // Each process takes 270 MB, and what is measured here is time.
    fileParallelism: false,
    expect: { poll: { timeout: 90_000, interval: 25 } },
    testTimeout: 180_000,
  },
});
