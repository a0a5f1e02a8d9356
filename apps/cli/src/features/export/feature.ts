import type { Feature } from "../../command/feature.js";

/** Records as files, archived sessions and redaction. */
export const feature: Feature = {
  needs: ["verify"],
  commands: [
    {
      topic: "sessions",
      after: "post",
      load: {
        redact: async () => (await import("./redact.js")).redact,
      },
    },
    {
      topic: "records",
      load: {
        export: async () => (await import("./export.js")).exportCommand,
        archive: async () => (await import("./archive.js")).archive,
        unarchive: async () => (await import("./unarchive.js")).unarchive,
      },
    },
  ],
};
