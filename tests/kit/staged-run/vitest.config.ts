import { defineConfig } from "vitest/config";
import shared from "../../../vitest.config.js";

/** The tests of `run.test.ts`: they fail, hang and leave things behind. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["tests/kit/staged-run/*.ts"],
    exclude: ["**/vitest.config.ts", "**/start-listener.ts"],
    tags: [{ name: "unicorn", skip: true, description: "need a unicorn (apt-get install unicorn)" }],
  },
});
