import type { Member } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { formatTable } from "../text/table.js";
import { toMoment } from "../text/time.js";

export const members: Command = {
  name: "members",
  summary: "list the mesh's members and who invited them",
  examples: ["merkle members", "merkle members --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_members", {});
    if (output.json) output.show(answer, "");
    else if (answer.members.length === 0)
      output.note("no members: this broker is open to anyone who can reach it");
    else {
      const rows = answer.members.map((each) =>
        [
          neutralise(each.own ? `${each.name} (you)` : each.name),
          each.revoked ? `revoked by ${neutralise(each.revoked.by)}` : each.role,
          `joined ${toMoment(each.joined_at)}`,
          describeInviter(each),
          each.member_id,
        ].map((text) => ({ text })),
      );
      output.show(
        answer,
        formatTable(rows, { columns: output.columns, flexible: [[4, 9], 3, 0], more: output.signs.more }),
      );
      const unknown = answer.members.filter((each) => each.vouching === "unknown" && each.revoked === null);
      const isAdmin = answer.members.some((each) => each.own && each.role === "admin");
      if (unknown.length > 0 && isAdmin) {
        output.note(
          `  It is not recorded who invited ${unknown.map(({ name }) => neutralise(name)).join(", ")}: they joined before Merkle recorded that, and can still connect. To vouch for them, invite them again (merkle invite); to remove them: merkle member revoke <member>`,
        );
      }
    }
    return exitCodes.done;
  },
};

/**
 * Describes who invited the member. Empty if the broker itself admitted the member, or if the broker is too
 * old to report the inviter.
 */
function describeInviter({ invited_by, vouching }: Member): string {
  if (!invited_by) return "";
  const name = `${neutralise(invited_by.name)}${invited_by.revoked ? " (revoked)" : ""}`;
  return vouching === "program" ? `authenticated by a token of ${name}` : `invited by ${name}`;
}
