import type { Feature } from "../../feature.js";

/** A persona's reading of a file. */
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
