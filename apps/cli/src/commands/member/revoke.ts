import { listInvited, type Member } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";

export const memberRevoke: Command = {
  name: "member revoke",
  summary: "revoke a member with their tokens, invites and connections (admins only)",
  arguments: [{ name: "<member>", summary: "member name, or id from merkle members" }],
  flags: [
    {
      flags: "--with-invited",
      summary: "also revoke members they invited, directly or indirectly; never you",
    },
  ],
  examples: ["merkle member revoke Birch", "merkle member revoke Birch --with-invited"],
  async run({ args: [nameOrId = ""], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { members } = await broker.call("list_members", {});
    const member = findMember(members, nameOrId);
    const includesInvited = isSet(flags, "withInvited");
    const ended = await broker.call("revoke_member", {
      member_id: member.member_id,
      ...(includesInvited && { with_invited: true }),
    });
    const also = ended.also ?? [];
    const names = [ended, ...also].map(({ name }) => neutralise(name));
    output.show(ended, names.map((name) => `${output.mark.ok} ${name} is no longer a member`).join("\n"));
    const staying = includesInvited ? [] : listInvited(members, member);
    if (staying.length > 0) {
      output.note(
        `  ${staying.map(({ name }) => neutralise(name)).join(", ")}, invited by ${names[0]}, stay. To end them too: merkle member revoke ${member.member_id} --with-invited`,
      );
    }
    return exitCodes.done;
  },
};

/**
 * Finds a member by id, or by name if only one member has that name. Members choose their names freely, so
 * several may share a name.
 */
function findMember(members: readonly Member[], nameOrId: string): Member {
  const word = nameOrId.toLowerCase();
  const isMatch = ({ member_id, name, revoked }: Member) =>
    member_id === word || (!revoked && name.toLowerCase() === word);
  const [match, ...others] = members.filter(isMatch);
  if (!match) {
    throw new CliError("not_found", `There is no member ${JSON.stringify(nameOrId)}.`, {
      exitCode: exitCodes.not_found,
      next: ["merkle members"],
    });
  }
  if (others.length === 0) return match;
  throw new CliError(
    "conflict",
    `${others.length + 1} members are named ${JSON.stringify(nameOrId)}. Use the id of one of them.`,
    {
      exitCode: exitCodes.conflict,
      next: ["merkle members"],
    },
  );
}
