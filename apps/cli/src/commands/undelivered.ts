import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../command/list.js";
import type { Output } from "../command/output.js";
import { toSessionPath } from "../core/address.js";
import { exitCodes } from "../core/cli-error.js";
import { readWholeNumber } from "../core/flag-values.js";
import { findFlag, isSet } from "../core/flags.js";
import { formatRecipients } from "../feed/format-message.js";
import { getReadingActor } from "../identity/actors.js";
import { openPage } from "../identity/open-page.js";
import { getSession } from "../sessions/find-session.js";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";
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
    limitFlag(),
    webFlag,
  ],
  examples: ["merkle undelivered", "merkle undelivered split-auth --for 3600"],
  list: { operation: "list_undelivered", rows: "messages" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [name] = args;
    const limit = readLimit(flags);
    const for_s = readWholeNumber(findFlag(flags, "for"), "--for", { min: 0, max: 2_592_000 });
    const broker = await findBroker(config, signal);
    const session = name === undefined ? undefined : await getSession(broker, name, config);
    if (isSet(flags, "web")) return openPage(context, broker, session ? toSessionPath(session) : "/");
    const reader = await getReadingActor({ broker, config });
    const answer = await reader.call("list_undelivered", {
      ...(for_s !== undefined && { for_s }),
      ...(session && { session: session.session_id }),
    });
    const rows = answer.messages.slice(0, limit);
    await showList(
      {
        value: { ...answer, messages: rows },
        rows,
        columns: listColumns(output),
        total: answer.total,
        empty: "  every message has been delivered",
      },
      context,
    );
    return exitCodes.done;
  },
};

type Undelivered = OutputOf<"list_undelivered">["messages"][number];

function listColumns({ bold, dim, signs }: Output): Column<Undelivered>[] {
  return [
    { head: "Session", cell: ({ session }) => ({ text: session, paint: bold }) },
    { head: "Message", cell: ({ sequence }) => `#${sequence}` },
    {
      head: "From and to",
      widthMin: 16,
      cell: ({ team, peer, to }) => `${formatPeerAddress(team, peer)} ${signs.arrow} ${formatRecipients(to)}`,
    },
    {
      head: "Posted",
      isOptional: true,
      cell: ({ posted_at }) => ({ text: `${toAge(posted_at)} ago`, paint: dim }),
    },
    { head: "Text", widthMin: 12, cell: ({ text }) => toOneLine(text) },
  ];
}
