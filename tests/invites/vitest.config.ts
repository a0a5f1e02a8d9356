import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** The race for invites at length, by `npm run test:invites`; the normal suite has it in brief. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/invites/full-race.ts"] },
});
