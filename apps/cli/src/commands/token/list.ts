import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { formatTable } from "../../text/table.js";
import { toAge, toMoment } from "../../text/time.js";

export const tokenList: Command = {
  name: "token list",
  summary: "list your active tokens, signed-in browsers and view-only links (admins see all)",
  examples: ["merkle token list", "merkle token list --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_tokens", {});
    if (output.json) output.show(answer, "");
    else if (answer.tokens.length === 0) output.note("no tokens");
    else {
      const rows = answer.tokens.map((each) =>
        [
          String(each.token_id),
          each.kind.replace("_", "-"),
          neutralise(each.label ?? ""),
          neutralise(each.member ?? each.session?.slug ?? ""),
          each.last_used_at === null ? "never used" : `used ${toAge(each.last_used_at)} ago`,
          `until ${toMoment(each.expires_at)}`,
        ].map((text) => ({ text })),
      );
      output.show(
        answer,
        formatTable(rows, { columns: output.columns, flexible: [[3, 1], 2], more: output.signs.more }),
      );
    }
    return exitCodes.done;
  },
};
