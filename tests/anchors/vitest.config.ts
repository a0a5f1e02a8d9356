import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Thousands of edits, by `npm run test:anchors`; the normal suite has some hundred of them. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/anchors/full-campaign.ts"] },
});
