import type { Feature } from "../../feature.js";

/** Records of other brokers as sessions here. */
export const feature: Feature = {
  needs: ["verify"],
  commands: [
    {
      topic: "records",
      after: "unarchive",
      load: {
        import: async () => (await import("./import.js")).importCommand,
      },
    },
  ],
};
