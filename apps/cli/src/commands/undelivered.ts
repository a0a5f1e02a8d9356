import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { readWholeNumber } from "../core/flag-values.js";
import { findFlag } from "../core/flags.js";
import { formatRecipients } from "../feed/format-message.js";
import { getReadingActor } from "../identity/actors.js";
import { getSession } from "../sessions/find-session.js";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { toAge } from "../text/time.js";

export const undelivered: Command = {
  name: "undelivered",
  summary: "list messages that no recipient has received for hours",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: all open sessions)" }],
  flags: [
    {
      flags: "--for <seconds>",
      summary: "minimum age of an undelivered message (default: the broker's setting)",
    },
  ],
  examples: ["merkle undelivered", "merkle undelivered split-auth --for 3600"],
  async run({ args: [name], flags, config, output, signal }) {
    const for_s = readWholeNumber(findFlag(flags, "for"), "--for", { min: 0, max: 2_592_000 });
    const broker = await findBroker(config, signal);
    const session = name === undefined ? undefined : await getSession(broker, name, config);
    const reader = await getReadingActor({ broker, config });
    const answer = await reader.call("list_undelivered", {
      ...(for_s !== undefined && { for_s }),
      ...(session && { session: session.session_id }),
    });
    const rows = answer.messages.map(({ session: slug, sequence, team, peer, to, posted_at, text }) => [
      { text: slug, paint: output.bold },
      { text: `#${sequence}` },
      { text: `${formatPeerAddress(team, peer)} ${output.signs.arrow} ${formatRecipients(to)}` },
      { text: `${toAge(posted_at)} ago`, paint: output.dim },
      { text: toOneLine(text) },
    ]);
    const table = formatTable(rows, {
      columns: output.columns,
      flexible: [0, [2, 16], 4],
      more: output.signs.more,
    });
    const more = answer.total - answer.messages.length;
    if (output.json || rows.length > 0)
      output.show(answer, more > 0 ? `${table}\n${output.dim(`${more} more`)}` : table);
    else output.note("  every message has been delivered");
    return exitCodes.done;
  },
};
