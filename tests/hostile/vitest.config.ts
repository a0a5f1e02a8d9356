import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Configuration of the long fuzz tests (`npm run test:fuzz`). The normal suite runs short ones. */
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
