import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Runs the full kill campaign (`npm run test:jobs`). The normal suite runs a short one. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/jobs/kills/full-kills.ts"] },
});
