import type { Feature } from "../../feature.js";

/** Imports: records from other brokers, stored as sessions on this broker. */
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
