import type { Command } from "../../command/command.js";
import { isSet } from "../../core/flags.js";
import { runOwnBroker } from "./own-broker.js";
import { visitRoom } from "./visit-room.js";

export const demo: Command = {
  name: "demo",
  summary:
    "watch two agents disagree, then answer their question in the browser: 30 seconds, no model, no API key",
  flags: [{ flags: "--own-broker", summary: "run the broker that the demo starts for itself", hidden: true }],
  examples: ["merkle demo", "merkle demo --url http://localhost:7500", "merkle demo --json"],
  run(context) {
    return isSet(context.flags, "ownBroker") ? runOwnBroker(context) : visitRoom(context);
  },
};
