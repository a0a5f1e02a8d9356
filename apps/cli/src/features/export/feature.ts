import type { Feature } from "../../feature.js";

/** Exports: session records as files. */
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
