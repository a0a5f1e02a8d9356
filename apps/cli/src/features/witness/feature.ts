import type { Feature } from "../../feature.js";

export { findComparedAt, findSeenLog } from "./seen-logs.js";

/** Witnesses, and members who compare what they saw of a mesh's log. */
export const feature: Feature = {
  needs: ["seal"],
  async checkConcluded(_message, where) {
    const { checkQuietly } = await import("./check-quietly.js");
    return checkQuietly(where);
  },
  commands: [
    {
      topic: "records",
      after: "verify",
      load: {
        head: async () => (await import("./head.js")).head,
        "witness run": async () => (await import("./witness.js")).witnessRun,
        "witness key": async () => (await import("./witness.js")).witnessKey,
        "witness policy": async () => (await import("./policy.js")).witnessPolicy,
      },
    },
  ],
};
