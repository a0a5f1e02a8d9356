import type { Feature } from "../../feature.js";

export { checkSeen } from "./check-seen.js";
export { findSeenHead, saveSeenHead, toSeenHead } from "./seen-heads.js";

/** Seals: signed roots of concluded sessions' records. */
export const feature: Feature = {
  needs: [],
  async checkConcluded(message, where) {
    const { checkConcluded } = await import("./check-seen.js");
    return checkConcluded(message, where);
  },
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
