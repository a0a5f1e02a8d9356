import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";

export const tokenRevoke: Command = {
  name: "token revoke",
  summary: "revoke a token, a signed-in browser or a view-only link, and everything it issued",
  arguments: [{ name: "<number>", summary: "number from merkle token list" }],
  examples: ["merkle token revoke 12"],
  async run({ args: [number = ""], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const ended = await broker.call("revoke_token", { token_id: toNumber(number, "A token") });
    output.show(ended, `${output.mark.ok} token ${ended.token_id} is revoked`);
    return exitCodes.done;
  },
};
