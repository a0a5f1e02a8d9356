import { defineConfig } from "vitest/config";
import shared from "../../../vitest.config.js";

/**
 * Configuration for the tests that `run.test.ts` runs. They fail, hang, and leave processes or files behind.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["tests/kit/staged-run/*.ts"],
    exclude: ["**/vitest.config.ts", "**/start-listener.ts"],
    tags: [{ name: "unicorn", skip: true, description: "need a unicorn (apt-get install unicorn)" }],
  },
});
