import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Tests an installation from a local registry (`npm run test:ship`). The normal suite unpacks the same tarball without a registry. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/ship/from-registry.ts"] },
});
