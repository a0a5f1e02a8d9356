import type { StateEntry } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { formatRows } from "../../command/list.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { toJson } from "../../text/to-json.js";
import { formatByline, formatValue, listEntryColumns } from "./format-state.js";

export const stateGet: Command = {
  name: "state get",
  summary: "print a shared value as JSON",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[key]", summary: "key (required)" },
  ],
  flags: [
    { flags: "--history", summary: "also show earlier values, newest first" },
    { flags: "--shared", summary: "use the state shared by all sessions" },
  ],
  examples: [
    "merkle state get split-auth deploy_frozen",
    "merkle state get split-auth deploy_frozen --history",
    "MERKLE_SESSION=split-auth merkle state get deploy_frozen",
  ],
  async run({ args, flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const usage = "merkle state get <session> <key>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 1, usage, config });
    const [key = ""] = words;
    const history = isSet(flags, "history");
    const entry = await broker.call("get_state", {
      session_id: session.session_id,
      key,
      history,
      scope: isSet(flags, "shared") ? "mesh" : "session",
    });
    if (history) {
      const versions = [entry, ...(entry.history ?? [])];
      await output.page(entry, formatRows(versions, listEntryColumns(output), output));
      return exitCodes.done;
    }
    if (entry.deleted) throw deletedKey(entry, formatByline(entry));
    output.show(entry, output.isTerminal ? formatValue(entry) : toJson(entry.value));
    output.note(`  ${formatByline(entry)}`);
    return exitCodes.done;
  },
};

function deletedKey(entry: StateEntry, byline: string): CliError {
  return new CliError("not_found", `${JSON.stringify(entry.key)} was deleted (${byline}).`, {
    exitCode: exitCodes.not_found,
    next: ["add --history to see earlier values"],
    details: { ...entry },
  });
}
