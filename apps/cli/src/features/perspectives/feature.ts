import type { Feature } from "../../feature.js";

/** Perspectives: personas' readings of a document. */
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
