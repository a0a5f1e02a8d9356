import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/**
 * Configuration of `npm run test:tamper`, which makes thousands of changes to records. The normal suite makes fewer.
 */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["tests/record/full-tamper.ts"] },
});
