import type { Invite } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { toMoment } from "../../text/time.js";

export const inviteList: Command = {
  name: "invite list",
  summary: "list your invites, newest first (admins see all)",
  flags: [limitFlag(), webFlag],
  examples: ["merkle invite list", "merkle invite list --json invite_id,state"],
  list: { operation: "list_invites", rows: "invites" },
  async run(context) {
    const { flags, config, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/settings");
    const answer = await broker.call("list_invites", {});
    const rows = answer.invites.slice(0, limit);
    await showList(
      {
        value: { ...answer, invites: rows },
        rows,
        columns,
        total: answer.invites.length,
        empty: "no invites",
      },
      context,
    );
    return exitCodes.done;
  },
};

const columns: readonly Column<Invite>[] = [
  { head: "Invite", cell: ({ invite_id }) => String(invite_id) },
  { head: "State", cell: ({ state }) => state },
  { head: "Role", isOptional: true, cell: ({ role }) => role },
  { head: "To", cell: ({ session }) => neutralise(session?.slug ?? "the mesh") },
  { head: "Uses", cell: ({ uses_left, uses_max }) => `${uses_left} of ${uses_max} left` },
  { head: "Expires", cell: ({ expires_at }) => `until ${toMoment(expires_at)}` },
  { head: "By", widthMin: 8, isOptional: true, cell: ({ inviter }) => `by ${neutralise(inviter)}` },
];
