import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { textOf } from "../../command/flags.js";
import { exitCodes } from "../../core/cli-error.js";
import { chooseProject } from "../../progress/find-project.js";
import { formatWhole } from "../../progress/format-entries.js";

export const progressShow: Command = {
  name: "progress show",
  summary: "show what was done: in brief, then in full",
  arguments: [{ name: "<id>", summary: "as progress log and progress search print it" }],
  flags: [{ flags: "--project <name>", summary: "the repository's name unless told" }],
  examples: ["merkle progress show a1b2c3d4e5f6", "merkle progress show a1b2c3d4e5f6 --project payments"],
  async run({ args: [id = ""], flags, config, io, output, signal }) {
    const projectId = await chooseProject(textOf(flags, "project"), "merkle progress show <id>", io);
    const broker = await findBroker(config, signal);
    const entry = await broker.call("get_context", { projectId, id, includeFull: true });
    output.show(entry, formatWhole(entry, output));
    return exitCodes.done;
  },
};
