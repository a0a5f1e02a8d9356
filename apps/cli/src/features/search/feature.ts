import type { Feature } from "../../feature.js";

/** Full-text search. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "knowledge",
      after: "forget",
      load: {
        search: async () => (await import("./search.js")).search,
      },
    },
  ],
};
