import { findBroker } from "../../broker/broker-client.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import * as edits from "../../document/edits.js";
import { getSessionActor } from "../../identity/actors.js";
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
    const mode = chooseEditMode(context);
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    const actor = await getSessionActor(session, { broker, config });
    const editing = { ...context, session, actor };
    switch (mode) {
      case "words":
        return edits.replacePassage(editing, {
          old: findFlag(flags, "old") ?? "",
          new: findFlag(flags, "new") ?? "",
        });
      case "file":
        return edits.writeFromFile(editing, {
          file: findFlag(flags, "file") ?? "",
          expected: findFlag(flags, "expect") ?? "",
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
function chooseEditMode({ flags, io }: CommandContext): "words" | "file" | "editor" {
  const given = ["old", "new", "file", "expect"]
    .filter((name) => findFlag(flags, name) !== undefined)
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
