import type { Command } from "../command/command.js";

export const down: Command = {
  name: "down",
  summary: "stop the broker of this Merkle home",
  examples: ["merkle down", "MERKLE_HOME=/srv/merkle merkle down", "merkle down --json"],
  offline: true,
  async run(context) {
    const { stopBroker } = await import("../stop-broker.js");
    return stopBroker(context);
  },
};
