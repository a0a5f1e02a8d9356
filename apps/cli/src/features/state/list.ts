import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { formatEntries } from "./format-state.js";
import { listAllState } from "./known-state.js";

export const stateList: Command = {
  name: "state list",
  summary: "list shared values, who set them and when",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--prefix <text>", summary: "only keys with this prefix" },
    { flags: "--shared", summary: "use the state shared by all sessions" },
  ],
  examples: [
    "merkle state list split-auth",
    "merkle state list split-auth --prefix deploy_",
    "merkle state list split-auth --shared --json",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const prefix = findFlag(flags, "prefix");
    const broker = await findBroker(config, signal);
    const { session_id } = await getSession(broker, name, config);
    const entries = await listAllState(broker, {
      session_id,
      scope: isSet(flags, "shared") ? "mesh" : "session",
      ...(prefix === undefined ? {} : { prefix }),
    });
    if (output.json) output.show({ entries, next_cursor: null }, "");
    else if (entries.length === 0) output.note("no state");
    else output.show(entries, formatEntries(entries, output));
    return exitCodes.done;
  },
};
