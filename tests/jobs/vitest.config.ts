import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** The campaign of kills at length, by `npm run test:jobs`; the normal suite has it in brief. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/jobs/kills/full-kills.ts"] },
});
