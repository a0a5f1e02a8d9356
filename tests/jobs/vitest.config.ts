import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Configuration of the full kill campaign (`npm run test:jobs`). The normal suite runs a short campaign. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/jobs/kills/full-kills.ts"] },
});
