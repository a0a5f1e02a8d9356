import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";
import { nodesOf } from "../nodes/kit/tested-nodes.js";

const bus = process.env["MERKLE_TEST_BUS"];

/** The fault campaign at length, by `npm run test:faults`; the normal suite has it in brief. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    ...(bus !== undefined && nodesOf(bus)),
    include: ["tests/faults/full-campaign.ts"],
  },
});
