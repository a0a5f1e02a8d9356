import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** The fuzzing at length, by `npm run test:fuzz`; the normal suite has it in brief. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: [
      "tests/hostile/fuzz.test.ts",
      "tests/hostile/rendering.test.ts",
      "tests/hostile/terminal.test.ts",
    ],
    env: { MERKLE_FUZZ_SECONDS: process.env["MERKLE_FUZZ_SECONDS"] ?? "60", MERKLE_RENDERINGS: "1000" },
  },
});
