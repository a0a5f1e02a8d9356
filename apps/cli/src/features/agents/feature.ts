import type { Feature } from "../../feature.js";

/** The list of agents in open sessions. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "people",
      before: "peers",
      load: {
        agents: async () => (await import("./agents.js")).agents,
      },
    },
  ],
};
