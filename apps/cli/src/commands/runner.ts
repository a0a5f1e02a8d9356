import type { Command } from "../command/command.js";
import { runRunner } from "../work/runner/run-runner.js";

export const runner: Command = {
  name: "runner",
  summary: "run jobs of a broker on this machine, with the Claude Code that is installed here",
  flags: [
    {
      flags: "--max <number>",
      summary: "so many at once; agent.max_concurrent_jobs of this machine unless told, else 1",
    },
    {
      flags: "--kinds <kinds>",
      summary: "jobs of these kinds alone (conclude,perspective); of all unless told",
      repeatable: true,
    },
  ],
  examples: ["merkle runner", "merkle runner --max 2 --kinds conclude,perspective"],
  async run(context) {
    return runRunner(context);
  },
};
