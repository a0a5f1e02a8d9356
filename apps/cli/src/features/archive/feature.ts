import type { Feature } from "../../feature.js";

/** Concluded sessions in object storage. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "records",
      after: "export",
      load: {
        archive: async () => (await import("./archive.js")).archive,
        unarchive: async () => (await import("./unarchive.js")).unarchive,
      },
    },
  ],
};
