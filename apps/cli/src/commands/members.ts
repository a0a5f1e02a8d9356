import type { Member } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../command/list.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { openPage } from "../identity/open-page.js";
import { toMoment } from "../text/time.js";

export const members: Command = {
  name: "members",
  summary: "list the mesh's members and who invited them",
  flags: [limitFlag(), webFlag],
  examples: ["merkle members", "merkle members --json name,member_id"],
  list: { operation: "list_members", rows: "members" },
  async run(context) {
    const { flags, config, output, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/settings");
    const answer = await broker.call("list_members", {});
    const rows = answer.members.slice(0, limit);
    await showList(
      {
        value: { ...answer, members: rows },
        rows,
        columns,
        total: answer.members.length,
        empty: "no members: this broker is open to anyone who can reach it",
      },
      context,
    );
    const unknown = answer.members.filter((each) => each.vouching === "unknown" && each.revoked === null);
    const isAdmin = answer.members.some((each) => each.own && each.role === "admin");
    if (unknown.length > 0 && isAdmin) {
      output.note(
        `  It is not recorded who invited ${unknown.map(({ name }) => neutralise(name)).join(", ")}: they joined before Merkle recorded that, and can still connect. To vouch for them, invite them again (merkle invite); to remove them: merkle member revoke <member>`,
      );
    }
    return exitCodes.done;
  },
};

const columns: readonly Column<Member>[] = [
  { head: "Member", cell: ({ name, own }) => neutralise(own ? `${name} (you)` : name) },
  {
    head: "Role",
    widthMin: 8,
    cell: ({ role, revoked }) => (revoked ? `revoked by ${neutralise(revoked.by)}` : role),
  },
  { head: "Joined", isOptional: true, cell: (each) => `joined ${toMoment(each.joined_at)}` },
  { head: "Invited by", widthMin: 12, isOptional: true, cell: describeInviter },
  { head: "Id", cell: ({ member_id }) => member_id },
];

/**
 * Describes who invited the member. Empty if the broker itself admitted the member, or if the broker is too
 * old to report the inviter.
 */
function describeInviter({ invited_by, vouching }: Member): string {
  if (!invited_by) return "";
  const name = `${neutralise(invited_by.name)}${invited_by.revoked ? " (revoked)" : ""}`;
  return vouching === "program" ? `authenticated by a token of ${name}` : `invited by ${name}`;
}
