import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { toNodesConfig } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/** Configuration of the full fault campaign (`npm run test:faults`). The normal suite runs a short campaign. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && toNodesConfig(bus)),
    include: ["tests/faults/full-campaign.ts"],
  },
});
