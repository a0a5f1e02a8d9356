import { findBroker } from "../../broker/broker-client.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { textOf } from "../../core/flags.js";
import * as edits from "../../document/edits.js";
import { actingIn } from "../../identity/acting.js";
import { getSession } from "../../sessions/find-session.js";

export const docEdit: Command = {
  name: "doc edit",
  summary: "change the document, in your editor or by flags",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--old <text>", summary: "text to replace; must occur exactly once in the document" },
    { flags: "--new <text>", summary: "replacement text" },
    { flags: "--file <path>", summary: "the whole new document; - reads it from stdin" },
    { flags: "--expect <version>", summary: "document version that --file is based on" },
  ],
  examples: [
    "merkle doc edit split-auth",
    'merkle doc edit split-auth --old "15 minutes" --new "an hour"',
    "merkle doc edit split-auth --file auth.md --expect 14",
  ],
  async run(context) {
    const { flags, config, signal, args } = context;
    const way = wayOf(context);
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    const actor = await actingIn(session, { broker, config });
    const editing = { ...context, session, actor };
    switch (way) {
      case "words":
        return edits.editWords(editing, { old: textOf(flags, "old") ?? "", new: textOf(flags, "new") ?? "" });
      case "file":
        return edits.editByFile(editing, {
          file: textOf(flags, "file") ?? "",
          expected: textOf(flags, "expect") ?? "",
        });
      case "editor":
        return edits.editInEditor(editing);
    }
    return exitCodes.done;
  },
};

/**
 * Returns how the user specifies the change. @throws CliError `usage` if flags are missing or contradict each
 * other
 */
function wayOf({ flags, io }: CommandContext): "words" | "file" | "editor" {
  const given = ["old", "new", "file", "expect"]
    .filter((name) => textOf(flags, name) !== undefined)
    .join(" ");
  switch (given) {
    case "old new":
      return "words";
    case "file expect":
      return "file";
    case "":
      if (io.stdin.isTTY && flags["input"] !== false) return "editor";
      throw usageError(
        "Cannot open an editor without a terminal. Use --old with --new, or --file with --expect.",
        "merkle help doc edit",
      );
    default:
      throw usageError("Give --old with --new, or --file with --expect.", "merkle help doc edit");
  }
}
