import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { refuseAgentShell } from "../../core/agent-shell.js";
import { exitCodes } from "../../core/cli-error.js";
import { toSeconds } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { toMoment } from "../../text/time.js";

export const tokenCreate: Command = {
  name: "token create",
  summary: "create an API token for programs that act for you over HTTP and MCP",
  flags: [
    { flags: "--label <text>", summary: "description" },
    { flags: "--expires <time>", summary: "lifetime: 12h, 30d (default: 90d)" },
  ],
  examples: ['merkle token create --label "CI"', "export MERKLE_TOKEN=$(merkle token create --expires 1d)"],
  async run({ flags, config, output, signal }) {
    refuseAgentShell(config);
    const [label, expires] = [findFlag(flags, "label"), findFlag(flags, "expires")];
    const broker = await findBroker(config, signal);
    const made = await broker.call("issue_token", {
      ...(label !== undefined && { label }),
      ...(expires !== undefined && { expires_in_s: toSeconds(expires, "--expires") }),
    });
    output.show(made, made.token);
    output.note(`  shown only once, valid until ${toMoment(made.expires_at)}: Authorization: Bearer <token>`);
    output.note(`  revoke: merkle token revoke ${made.token_id}`);
    return exitCodes.done;
  },
};
