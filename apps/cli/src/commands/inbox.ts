import { type AttentionItem, describeGroup, groupItems, type ItemGroup } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import { describeDemoSession, findDemoSession } from "../broker/demo-room.js";
import type { Command } from "../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../command/list.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { getReadingActor } from "../identity/actors.js";
import { openPage } from "../identity/open-page.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";
import { formatNeed, formatNeedAdvice, toNeed } from "../views/needs.js";

export const inbox: Command = {
  name: "inbox",
  summary: "list what needs you, many items of a kind as one line, and sessions with unread messages",
  flags: [
    { flags: "--all", summary: "one line per item" },
    limitFlag(undefined, limits.attentionItemsMax),
    webFlag,
  ],
  examples: ["merkle inbox", "merkle inbox --all", "merkle inbox --json kind,session,text"],
  list: { operation: "list_attention", rows: "items" },
  async run(context) {
    const { flags, config, output, signal } = context;
    const limit = readLimit(flags, limits.attentionItemsMax);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/needs-you");
    const reader = await getReadingActor({ broker, config });
    const [attention, { sessions }, room] = await Promise.all([
      reader.call("list_attention", {}),
      reader.call("list_sessions", { status: "open", limit: limits.sessionsPageMax }),
      output.json ? undefined : findDemoSession(broker, signal),
    ]);
    const items = attention.items.slice(0, limit);
    const unread = sessions.filter((session) => (session.unread ?? 0) > 0);
    const counts = unread.map(({ slug, unread, last_read, last_sequence }) => ({
      slug,
      unread,
      last_read,
      last_sequence,
    }));
    const isFolded = !isSet(flags, "all") && limit === undefined && !output.json;
    const lines = isFolded ? foldItems(attention) : items;
    await showList<InboxLine>(
      {
        value: { ...attention, items, unread: counts },
        rows: lines,
        columns: listColumns(output),
        ...(!isFolded && { total: attention.total }),
        rest: "merkle inbox --web shows the others",
        empty:
          room === undefined
            ? "nothing needs you"
            : `nothing needs you in your mesh; ${describeDemoSession(room)}`,
      },
      context,
    );
    const [first] = attention.items;
    if (first) {
      const unfold = lines.some(isGroup) ? `   ${output.dot}   merkle inbox --all` : "";
      output.note(`  next: ${formatNeedAdvice(toNeed(first), first.session)}${unfold}`);
    }
    if (unread.length > 0)
      output.note(
        `  unread in ${formatCount(unread.length, "session")}: merkle brief   ${output.dot}   merkle ls`,
      );
    return exitCodes.done;
  },
};

/** A line of the inbox: an item, or several items of one kind. */
type InboxLine = AttentionItem | ItemGroup;

function isGroup(line: InboxLine): line is ItemGroup {
  return "folded" in line;
}

/** Folds items of one kind into one line, as the page does (DASH-372). */
function foldItems({ items, kinds }: Pick<Parameters<typeof groupItems>[0], "items" | "kinds">): InboxLine[] {
  return groupItems({ items, kinds, opened: new Set(), linkedId: null }).flatMap((group) => [
    ...group.shown,
    ...(group.foldedCount > 0 ? [group] : []),
  ]);
}

/** Returns the columns: where the item is, and its subject. */
function listColumns({ signs, alarm, bold }: Output): Column<InboxLine>[] {
  return [
    { head: "", cell: () => ({ text: signs.blocked, paint: alarm }) },
    {
      head: "Where",
      cell: (line) => ({
        text: isGroup(line) ? "" : toOneLine(line.session ?? line.source_path ?? ""),
        paint: bold,
      }),
    },
    {
      head: "Needs you",
      widthMin: 20,
      cell: (line) => (isGroup(line) ? describeGroup(line) : formatNeed(toNeed(line))),
    },
  ];
}
