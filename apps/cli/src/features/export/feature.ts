import type { Feature } from "../../feature.js";

/** Records as files. */
export const feature: Feature = {
  needs: ["seal", "verify"],
  commands: [
    {
      topic: "records",
      load: {
        export: async () => (await import("./export.js")).exportCommand,
      },
    },
  ],
};
