import type { Feature } from "../../command/feature.js";

/** What changed since the reader last read. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "sessions",
      after: "watch",
      load: {
        brief: async () => (await import("./brief.js")).brief,
      },
    },
  ],
};
