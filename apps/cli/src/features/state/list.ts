import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { listEntryColumns } from "./format-state.js";
import { listAllState } from "./known-state.js";

export const stateList: Command = {
  name: "state list",
  summary: "list shared values, who set them and when",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--prefix <text>", summary: "only keys with this prefix" },
    { flags: "--shared", summary: "use the state shared by all sessions" },
    limitFlag(),
    webFlag,
  ],
  examples: [
    "merkle state list split-auth",
    "merkle state list split-auth --prefix deploy_",
    "merkle state list split-auth --shared --json key,value",
  ],
  list: { operation: "list_state", rows: "entries" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const limit = readLimit(flags);
    const prefix = findFlag(flags, "prefix");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    if (isSet(flags, "web")) return openPage(context, broker, toSessionPath(session, "state"));
    const entries = await listAllState(broker, {
      session_id: session.session_id,
      scope: isSet(flags, "shared") ? "mesh" : "session",
      ...(prefix === undefined ? {} : { prefix }),
    });
    const rows = entries.slice(0, limit);
    await showList(
      {
        value: { entries: rows, next_cursor: null },
        rows,
        columns: listEntryColumns(output),
        total: entries.length,
        empty: "no state",
      },
      context,
    );
    return exitCodes.done;
  },
};
