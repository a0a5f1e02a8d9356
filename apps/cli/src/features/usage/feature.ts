import type { Feature } from "../../command/feature.js";

/** Tokens that agents report. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "sessions",
      after: "undelivered",
      load: {
        usage: async () => (await import("./usage.js")).usage,
      },
    },
  ],
};
