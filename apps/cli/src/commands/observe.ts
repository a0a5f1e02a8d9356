import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { refuseAgentShell } from "../core/agent-shell.js";
import { exitCodes } from "../core/cli-error.js";
import { toSeconds } from "../core/flag-values.js";
import { findFlag } from "../core/flags.js";
import { getSession } from "../sessions/find-session.js";
import { toMoment } from "../text/time.js";

export const observe: Command = {
  name: "observe",
  summary: "create a view-only link to one session",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--label <text>", summary: "name of the recipient" },
    { flags: "--expires <time>", summary: "lifetime: 24h, 7d (default: 7d)" },
  ],
  examples: ["merkle observe split-auth", 'merkle observe split-auth --label "the customer" --expires 1d'],
  async run({ args: [name], flags, config, output, signal }) {
    refuseAgentShell(config);
    const [label, expires] = [findFlag(flags, "label"), findFlag(flags, "expires")];
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const made = await broker.call("create_observer_link", {
      session_id: session.session_id,
      ...(label !== undefined && { label }),
      ...(expires !== undefined && { expires_in_s: toSeconds(expires, "--expires") }),
    });
    output.show(made, made.link);
    output.note(
      `  shows ${session.slug} until ${toMoment(made.expires_at)}. revoke: merkle token revoke ${made.token_id}`,
    );
    return exitCodes.done;
  },
};
