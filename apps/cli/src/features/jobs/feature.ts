import type { Feature } from "../../feature.js";
import { agentKeys } from "./runner/agent-keys.js";

/** Jobs: headless runs of agents, and the runner that starts them. */
export const feature: Feature = {
  needs: ["personas", "perspectives", "proposals", "sources", "topics"],
  settings: {
    agent: {
      key: {
        name: "agent",
        example: "{}",
        defaultText: "as below",
        meaning: "how `up` runs jobs (JOB-13)",
        keys: agentKeys,
      },
      read: ({ file }) => file.content["agent"] ?? null,
    },
  },
  async prepareBroker(config) {
    const { prepareAgent } = await import("./runner/to-agent-options.js");
    return { options: { agent: prepareAgent(config) } };
  },
  async draftConclusion(context, session) {
    const { draftConclusion } = await import("./draft-conclusion.js");
    return draftConclusion(context, session);
  },
  async runForAgent(argv, io, signal) {
    const { runForAgent } = await import("./agent/run-for-agent.js");
    return runForAgent(argv, io, signal);
  },
  commands: [
    {
      topic: "headless",
      load: {
        "jobs run": async () => (await import("./run.js")).jobsRun,
        "jobs list": async () => (await import("./list.js")).jobsList,
        "jobs show": async () => (await import("./show.js")).jobsShow,
        "jobs cancel": async () => (await import("./cancel.js")).jobsCancel,
        runner: async () => (await import("./runner.js")).runner,
      },
    },
    {
      topic: "git",
      after: "source reply",
      load: {
        "source incorporate": async () => (await import("./incorporate.js")).sourceIncorporate,
      },
    },
  ],
};
