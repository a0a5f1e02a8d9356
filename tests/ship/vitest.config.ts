import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/**
 * Configuration of `npm run test:ship`, which tests an installation from a local registry. The normal suite unpacks the
 * same tarball without a registry.
 */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/ship/from-registry.ts"] },
});
