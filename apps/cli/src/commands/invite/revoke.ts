import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";

export const inviteRevoke: Command = {
  name: "invite revoke",
  summary: "revoke an invite; people who joined with it stay",
  arguments: [{ name: "<number>", summary: "invite number, from merkle invite list" }],
  examples: ["merkle invite revoke 31"],
  async run({ args: [number = ""], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const ended = await broker.call("revoke_invite", { invite_id: toNumber(number, "An invite") });
    output.show(ended, `${output.mark.ok} invite ${ended.invite_id} is ${ended.state}`);
    return exitCodes.done;
  },
};
