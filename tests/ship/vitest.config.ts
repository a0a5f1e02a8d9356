import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Installs from a registry of its own, by `npm run test:ship`; the normal suite unpacks the same tarball without one. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/ship/from-registry.ts"] },
});
