import type { Feature } from "../../command/feature.js";

export { openFile, readBundleFacts } from "./verify-file.js";

/** Checks of records, offline. */
export const feature: Feature = {
  needs: [],
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
