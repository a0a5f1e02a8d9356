import type { Feature } from "../../feature.js";

/** Perspectives: how personas read a document. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "headless",
      after: "runner",
      load: {
        perspective: async () => (await import("./perspective.js")).perspective,
      },
    },
  ],
};
