import type { Command } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { runDemo } from "../demo/run-demo.js";
import { runPart } from "../demo/run-part.js";

export const demo: Command = {
  name: "demo",
  summary: "watch two teams and a human work in a session: half a minute, no model, no key",
  flags: [
    { flags: "--slow", summary: "take about two minutes, to read along" },
    {
      flags: "--keep",
      summary:
        "where no broker runs the demo starts one, and removes it at the end; keep it until Ctrl+C. On a broker that runs the session always stays",
    },
    { flags: "--pace <factor>", summary: "how many times slower than half a minute", hidden: true },
    { flags: "--role <name>", summary: "the part that this process plays", hidden: true },
    { flags: "--session <id>", summary: "the session that it plays in", hidden: true },
  ],
  examples: ["merkle demo", "merkle demo --slow", "merkle demo --json"],
  async run(context) {
    const role = textOf(context.flags, "role");
    if (role === undefined) {
      return runDemo(context);
    }
    return runPart(role, context);
  },
};
