import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { formatTable } from "../text/table.js";
import { toMoment } from "../text/time.js";

export const members: Command = {
  name: "members",
  summary: "list who belongs to the mesh",
  examples: ["merkle members", "merkle members --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_members", {});
    if (output.json) output.show(answer, "");
    else if (answer.members.length === 0) output.note("no members: this broker lets in whoever reaches it");
    else {
      const rows = answer.members.map((each) =>
        [
          neutralise(each.own ? `${each.name} (you)` : each.name),
          each.revoked ? `revoked by ${neutralise(each.revoked.by)}` : each.role,
          `joined ${toMoment(each.joined_at)}`,
          each.member_id,
        ].map((text) => ({ text })),
      );
      output.show(
        answer,
        formatTable(rows, { columns: output.columns, flexible: [[3, 9], 0], more: output.signs.more }),
      );
    }
    return exitCodes.done;
  },
};
