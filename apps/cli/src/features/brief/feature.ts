import type { Feature } from "../../feature.js";

/** Briefs: summaries of what has changed since a reader last read. */
export const feature: Feature = {
  needs: [],
  async loadExtension() {
    const { createBriefs } = await import("./create-briefs.js");
    return (server) => ({ briefs: createBriefs(server) });
  },
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
