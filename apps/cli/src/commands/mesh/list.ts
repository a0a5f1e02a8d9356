import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { formatTable } from "../../text/table.js";
import { formatCount } from "../../text/time.js";

export const meshList: Command = {
  name: "mesh list",
  summary: "list the meshes of this broker that you are a member of",
  examples: ["merkle mesh list", "merkle mesh list --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_meshes", {});
    const rows = answer.meshes.map((each) =>
      [
        neutralise(each.name),
        each.role ?? "",
        formatCount(each.sessions, "session"),
        each.role === null ? "" : formatCount(each.members, "member"),
      ].map((text) => ({ text })),
    );
    output.show(answer, formatTable(rows, { columns: output.columns, flexible: 0, more: output.signs.more }));
    return exitCodes.done;
  },
};
