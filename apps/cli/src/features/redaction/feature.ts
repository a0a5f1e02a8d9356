import type { Feature } from "../../feature.js";

/** Redaction: the removal of text that should not have been posted. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "sessions",
      after: "post",
      load: {
        redact: async () => (await import("./redact.js")).redact,
      },
    },
  ],
};
