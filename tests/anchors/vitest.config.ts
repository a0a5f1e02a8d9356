import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Configuration of `npm run test:anchors`, which makes thousands of edits. The normal suite makes a few hundred. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/anchors/full-campaign.ts"] },
});
