import type { Command } from "../command/command.js";
import { isSet, textOf } from "../command/flags.js";
import { exitCodes } from "../core/cli-error.js";

export const peers: Command = {
  name: "peers",
  summary: "show who is in a session: what each says it does, and when it was seen",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" }],
  flags: [
    { flags: "--group <group>", summary: "only those that @group reaches" },
    { flags: "--left", summary: "all that have left, not only the last few" },
  ],
  examples: [
    "merkle peers split-auth",
    "merkle peers split-auth --group backend",
    "merkle peers split-auth -v",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { formatPeers } = await import("../roster/peer-table.js");
    const group = textOf(flags, "group")?.replace(/^@/, "");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    const found = await broker.call("list_peers", {
      session_id,
      include_left: true,
      ...(group === undefined ? {} : { group }),
    });
    if (output.json) output.show(found, "");
    else if (found.peers.length === 0) {
      output.note(
        group === undefined
          ? `nobody is in ${slug}.  next: merkle launch --session ${slug}`
          : `nobody in ${slug} is in @${group}`,
      );
    } else output.show(found, formatPeers(found.peers, output, { all: isSet(flags, "left") }));
    return exitCodes.done;
  },
};
