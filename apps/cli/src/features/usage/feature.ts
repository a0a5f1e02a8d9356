import type { Feature } from "../../feature.js";

/** Usage: the tokens that agents report. */
export const feature: Feature = {
  needs: [],
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
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
