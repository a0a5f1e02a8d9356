import type { AttentionItem, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import { describeDemoSession, findDemoSession } from "../broker/demo-room.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { getReadingActor } from "../identity/actors.js";
import { toOneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { formatCount } from "../text/time.js";
import { formatNeed, formatNeedAdvice, toNeed } from "../views/needs.js";

export const inbox: Command = {
  name: "inbox",
  summary: "list what needs you, and sessions with unread messages",
  examples: ["merkle inbox", "merkle inbox --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const reader = await getReadingActor({ broker, config });
    const [attention, { sessions }, room] = await Promise.all([
      reader.call("list_attention", {}),
      reader.call("list_sessions", { status: "open", limit: limits.sessionsPageMax }),
      output.json ? undefined : findDemoSession(broker, signal),
    ]);
    const unread = sessions.filter((session) => (session.unread ?? 0) > 0);
    if (output.json) {
      const counts = unread.map(({ slug, unread, last_read, last_sequence }) => ({
        slug,
        unread,
        last_read,
        last_sequence,
      }));
      output.show({ ...attention, unread: counts }, "");
      return exitCodes.done;
    }
    if (attention.items.length === 0) {
      output.note(
        room === undefined
          ? "nothing needs you"
          : `nothing needs you in your mesh; ${describeDemoSession(room)}`,
      );
    } else {
      output.show(attention, formatItems(attention, output));
      const first = attention.items.find(hasOwnLine);
      if (first) output.note(`  next: ${formatNeedAdvice(toNeed(first), first.session)}`);
    }
    if (unread.length > 0)
      output.note(
        `  unread in ${formatCount(unread.length, "session")}: merkle brief   ${output.dot}   merkle ls`,
      );
    return exitCodes.done;
  },
};

/** Returns whether the item gets its own line. Quiet sessions are only counted. */
const hasOwnLine = ({ kind }: AttentionItem) => kind !== "quiet";

/** Formats one line per item, with its subject and its location. */
function formatItems({ items, total }: OutputOf<"list_attention">, output: Output): string {
  const shown = items.filter(hasOwnLine);
  const rows = shown.map((item) => [
    { text: output.signs.blocked, paint: output.alarm },
    { text: toOneLine(item.session ?? item.source_path ?? ""), paint: output.bold },
    { text: formatNeed(toNeed(item)) },
  ]);
  const table = formatTable(rows, { columns: output.columns, flexible: [1, 2], more: output.signs.more });
  const quiet = items.length - shown.length;
  const hidden = total - items.length;
  return [
    ...(shown.length > 0 ? [table] : []),
    ...(quiet > 0 ? [output.dim(`${formatCount(quiet, "session")} quiet: merkle ls`)] : []),
    ...(hidden > 0 ? [output.dim(`and ${hidden} more`)] : []),
  ].join("\n");
}
