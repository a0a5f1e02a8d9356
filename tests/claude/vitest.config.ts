import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/**
 * Real Claude Code processes, by `npm run test:claude`: they are installed from the registry, and too heavy for the normal
 * suite. No model is asked: a scripted one of this machine answers.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["tests/claude/cases/*.ts"],
    globalSetup: ["tests/kit/global-setup.ts", "tests/claude/kit/install-claude.ts"],
    // Each process takes 270 MB, and what is measured here is time.
    fileParallelism: false,
    expect: { poll: { timeout: 90_000, interval: 25 } },
    testTimeout: 180_000,
  },
});
