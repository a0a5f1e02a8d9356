import type { Feature } from "../../feature.js";

/** Progress entries of projects. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "knowledge",
      after: "search",
      load: {
        "progress log": async () => (await import("./log.js")).progressLog,
        "progress search": async () => (await import("./search.js")).progressSearch,
        "progress show": async () => (await import("./show.js")).progressShow,
      },
    },
  ],
};
