import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Runs thousands of edits (`npm run test:anchors`). The normal suite runs a few hundred. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/anchors/full-campaign.ts"] },
});
