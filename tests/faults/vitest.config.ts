import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** The fault campaign at length, by `npm run test:faults`; the normal suite has it in brief. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/faults/full-campaign.ts"] },
});
