import type { Feature } from "../../feature.js";

/** Where agents work: repository, branch, worktree and how much changed. */
export const feature: Feature = {
  needs: [],
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
  askAtLaunch: async (prompter, launch) => (await import("./ask-to-report.js")).askToReport(prompter, launch),
  commands: [],
};
