import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Configuration of the full race for invites (`npm run test:invites`). The normal suite runs a short race. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/invites/full-race.ts"] },
});
