import type { Command } from "../command/command.js";
import { isSet, textOf } from "../command/flags.js";
import { runDemo } from "../demo/run-demo.js";
import { runPart } from "../demo/run-part.js";
import { visitRoom } from "../demo/visit-room.js";

export const demo: Command = {
  name: "demo",
  summary: "watch two agents argue and ask you, and answer them in the page: half a minute, no model, no key",
  flags: [
    {
      flags: "--once",
      summary:
        "play two teams and a human to a conclusion, as processes of their own, check it all and end: for scripts",
    },
    { flags: "--slow", summary: "with --once: take about two minutes, to read along" },
    {
      flags: "--keep",
      summary:
        "with --once: where no broker runs the demo starts one, and removes it at the end; keep it until Ctrl+C",
    },
    { flags: "--pace <factor>", summary: "how many times slower than half a minute", hidden: true },
    { flags: "--role <name>", summary: "the part that this process plays", hidden: true },
    { flags: "--session <id>", summary: "the session that it plays in", hidden: true },
  ],
  examples: ["merkle demo", "merkle demo --once --slow", "merkle demo --once --json"],
  async run(context) {
    const role = textOf(context.flags, "role");
    if (role !== undefined) return runPart(role, context);
    return isSet(context.flags, "once") ? runDemo(context) : visitRoom(context);
  },
};
