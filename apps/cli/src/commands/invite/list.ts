import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

export const inviteList: Command = {
  name: "invite list",
  summary: "list your invites, newest first (admins see all)",
  examples: ["merkle invite list", "merkle invite list --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_invites", {});
    if (output.json) output.show(answer, "");
    else if (answer.invites.length === 0) output.note("no invites");
    else {
      const rows = answer.invites.map((each) =>
        [
          String(each.invite_id),
          each.state,
          each.role,
          neutralise(each.session?.slug ?? "the mesh"),
          `${each.uses_left} of ${each.uses_max} left`,
          `until ${toMoment(each.expires_at)}`,
          `by ${neutralise(each.inviter)}`,
        ].map((text) => ({ text })),
      );
      output.show(
        answer,
        formatTable(rows, {
          columns: output.columns,
          flexible: [
            [6, 1],
            [3, 8],
          ],
          more: output.signs.more,
        }),
      );
    }
    return exitCodes.done;
  },
};
