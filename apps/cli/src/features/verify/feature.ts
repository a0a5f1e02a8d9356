import type { Feature } from "../../feature.js";

/** Loads the code that reads and verifies bundles. */
export const loadVerifyFile = () => import("./verify-file.js");

/** Verification of records without a broker. */
export const feature: Feature = {
  needs: ["seal", "witness"],
  commands: [
    {
      topic: "records",
      after: "import",
      load: {
        verify: async () => (await import("./verify.js")).verify,
      },
    },
  ],
};
