import type { Feature } from "../../command/feature.js";

/** The signed root of a concluded session. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "sessions",
      after: "conclude",
      load: {
        seal: async () => (await import("./seal.js")).seal,
      },
    },
  ],
};
