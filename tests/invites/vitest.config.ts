import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/**
 * Configuration of the full invite race-condition test (`npm run test:invites`). The normal suite runs a shorter
 * version.
 */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/invites/full-race.ts"] },
});
