import type { Command } from "../command/command.js";
import { isSet, textOf } from "../command/flags.js";
import { runDemo } from "../demo/run-demo.js";
import { runPart } from "../demo/run-part.js";
import { visitRoom } from "../demo/visit-room.js";

export const demo: Command = {
  name: "demo",
  summary:
    "watch two agents disagree and ask you, then answer them in the browser: half a minute, no model, no API key",
  flags: [
    {
      flags: "--once",
      summary:
        "for scripts: run two teams and a human to a conclusion in separate processes, check the result and exit",
    },
    { flags: "--slow", summary: "with --once: take about two minutes, slow enough to read along" },
    {
      flags: "--keep",
      summary: "with --once: keep the broker that the demo started running until Ctrl+C",
    },
    { flags: "--pace <factor>", summary: "how many times slower than half a minute", hidden: true },
    { flags: "--role <name>", summary: "role that this process plays", hidden: true },
    { flags: "--session <id>", summary: "session to play in", hidden: true },
  ],
  examples: ["merkle demo", "merkle demo --once --slow", "merkle demo --once --json"],
  async run(context) {
    const role = textOf(context.flags, "role");
    if (role !== undefined) return runPart(role, context);
    return isSet(context.flags, "once") ? runDemo(context) : visitRoom(context);
  },
};
