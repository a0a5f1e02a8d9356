import type { Command } from "../../command/command.js";
import { runRunner } from "./runner/run-runner.js";

export const runner: Command = {
  name: "runner",
  summary: "run a broker's jobs on this machine with the installed Claude Code",
  flags: [
    {
      flags: "--max <number>",
      summary:
        "maximum number of jobs at the same time (default: agent.max_concurrent_jobs of this machine, otherwise 1)",
    },
    {
      flags: "--kinds <kinds>",
      summary: "only jobs of these kinds, such as conclude,perspective (default: all kinds)",
      repeatable: true,
    },
  ],
  examples: ["merkle runner", "merkle runner --max 2 --kinds conclude,perspective"],
  async run(context) {
    return runRunner(context);
  },
};
