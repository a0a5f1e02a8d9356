import type { Mesh } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { formatCount } from "../../text/time.js";

export const meshList: Command = {
  name: "mesh list",
  summary: "list the meshes of this broker that you are a member of",
  flags: [limitFlag(), webFlag],
  examples: ["merkle mesh list", "merkle mesh list --json name,role"],
  list: { operation: "list_meshes", rows: "meshes" },
  async run(context) {
    const { flags, config, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/settings?part=advanced");
    const answer = await broker.call("list_meshes", {});
    const rows = answer.meshes.slice(0, limit);
    const value = { ...answer, meshes: rows };
    await showList({ value, rows, columns, total: answer.meshes.length, empty: "no meshes" }, context);
    return exitCodes.done;
  },
};

const columns: readonly Column<Mesh>[] = [
  { head: "Mesh", cell: ({ name }) => neutralise(name) },
  { head: "Your role", cell: ({ role }) => role ?? "" },
  { head: "Sessions", cell: ({ sessions }) => formatCount(sessions, "session") },
  {
    head: "Members",
    isOptional: true,
    cell: ({ role, members }) => (role === null ? "" : formatCount(members, "member")),
  },
];
