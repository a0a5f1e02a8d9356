import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Thousands of tamperings, by `npm run test:tamper`; the normal suite has them in brief. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/record/full-tamper.ts"] },
});
