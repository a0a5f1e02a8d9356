import type { Feature } from "../../feature.js";

/** Loads the reading and checking of bundles. */
export const loadVerifyFile = () => import("./verify-file.js");

/** Checks of records, offline. */
export const feature: Feature = {
  needs: ["seal"],
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
