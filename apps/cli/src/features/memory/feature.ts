import type { Feature } from "../../feature.js";

/** Memory: lasting knowledge of a mesh. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "knowledge",
      after: "state watch",
      load: {
        remember: async () => (await import("./remember.js")).remember,
        recall: async () => (await import("./recall.js")).recall,
        forget: async () => (await import("./forget.js")).forget,
      },
    },
  ],
};
