import type { Command } from "../../command/command.js";
import { relayPermission } from "./relay-permission.js";

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
