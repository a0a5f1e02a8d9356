import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Runs the full race for invites (`npm run test:invites`). The normal suite runs a short one. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/invites/full-race.ts"] },
});
