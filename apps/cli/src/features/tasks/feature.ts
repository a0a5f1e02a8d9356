import type { Feature } from "../../feature.js";

/** Tasks in a session, and claims on files. */
export const feature: Feature = {
  needs: [],
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
  commands: [
    {
      topic: "work",
      load: {
        tasks: async () => (await import("./tasks.js")).tasks,
        "task add": async () => (await import("./add.js")).taskAdd,
        "task claim": async () => (await import("./claim.js")).taskClaim,
        "task done": async () => (await import("./done.js")).taskDone,
        "task block": async () => (await import("./block.js")).taskBlock,
      },
    },
    {
      topic: "work",
      after: "approvals",
      load: {
        claims: async () => (await import("./claims.js")).claims,
      },
    },
  ],
};
