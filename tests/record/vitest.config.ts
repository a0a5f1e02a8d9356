import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Runs thousands of tamperings (`npm run test:tamper`). The normal suite runs fewer. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/record/full-tamper.ts"] },
});
