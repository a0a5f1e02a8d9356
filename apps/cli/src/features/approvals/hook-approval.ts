import type { Command } from "../../command/command.js";
import { relayPermission } from "./relay-permission.js";
import { relayTurnEnd } from "./relay-turn-end.js";

/** A client runs this hook when it asks its user for a permission, in addition to showing its own prompt. */
export const hookApproval: Command = {
  name: "hook approval",
  summary: "ask the person of a launched agent for permission; run by client hooks",
  hidden: true,
  arguments: [{ name: "<devices...>", summary: "ids of the devices that can answer" }],
  examples: ["merkle hook approval 4f1d0c9a2b7e6d5843f0a1b2c3d4e5f6"],
  offline: true,
  async run({ args: devices, config, io, signal }) {
    const decision = await relayPermission({ config, devices, input: io.stdin, signal });
    if (decision !== undefined) io.stdout.write(`${decision}\n`);
    return 0;
  },
};

/** A client runs this hook in the background when a turn has ended. */
export const hookTurnEnd: Command = {
  name: "hook turn-end",
  summary: "show the person of a launched agent that a turn ended with a question; run by client hooks",
  hidden: true,
  arguments: [{ name: "<devices...>", summary: "ids of the devices that can answer" }],
  examples: ["merkle hook turn-end 4f1d0c9a2b7e6d5843f0a1b2c3d4e5f6"],
  offline: true,
  async run({ args: devices, config, io, signal }) {
    await relayTurnEnd({ config, devices, input: io.stdin, signal });
    return 0;
  },
};
