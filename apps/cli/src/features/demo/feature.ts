import type { Feature } from "../../feature.js";

/** The demo session with two agents. */
export const feature: Feature = {
  needs: ["jobs"],
  commands: [
    {
      topic: "broker",
      before: "up",
      load: {
        demo: async () => (await import("./demo.js")).demo,
      },
    },
  ],
};
