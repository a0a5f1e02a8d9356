import type { Member } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";

export const memberRevoke: Command = {
  name: "member revoke",
  summary: "end a membership, with its tokens, invites and connections; for admins",
  arguments: [{ name: "<member>", summary: "name, or id as merkle members shows it" }],
  examples: ["merkle member revoke Birch"],
  async run({ args: [wanted = ""], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { members } = await broker.call("list_members", {});
    const { member_id } = findMember(members, wanted);
    const ended = await broker.call("revoke_member", { member_id });
    output.show(ended, `${output.mark.ok} ${neutralise(ended.name)} is a member no more`);
    return exitCodes.done;
  },
};

/** By name only when it is one member's alone: names are each member's own choice. */
function findMember(members: readonly Member[], wanted: string): Member {
  const word = wanted.toLowerCase();
  const isMeant = ({ member_id, name, revoked }: Member) =>
    member_id === word || (!revoked && name.toLowerCase() === word);
  const [found, ...others] = members.filter(isMeant);
  if (!found) {
    throw new CliError("not_found", `There is no member ${JSON.stringify(wanted)}.`, {
      exitCode: exitCodes.not_found,
      next: ["merkle members"],
    });
  }
  if (others.length === 0) return found;
  throw new CliError(
    "conflict",
    `${others.length + 1} members are called ${JSON.stringify(wanted)}; name one by id.`,
    {
      exitCode: exitCodes.conflict,
      next: ["merkle members"],
    },
  );
}
