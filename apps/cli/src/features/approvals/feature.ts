import type { Feature } from "../../feature.js";

/** Permission prompts of agents, answered by people. */
export const feature: Feature = {
  needs: ["own-words"],
  askForPermission: async (call) => (await import("./relay-permission.js")).askForDrivenAgent(call),
  commands: [
    {
      topic: "work",
      after: "task block",
      load: {
        approvals: async () => (await import("./approvals.js")).approvals,
      },
    },
    {
      topic: "clients",
      after: "hook mail",
      load: {
        "hook approval": async () => (await import("./hook-approval.js")).hookApproval,
        "hook turn-end": async () => (await import("./hook-approval.js")).hookTurnEnd,
      },
    },
  ],
};
