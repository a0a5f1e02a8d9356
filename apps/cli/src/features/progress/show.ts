import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import { chooseProject } from "../../sessions/find-project.js";
import { formatEntry } from "./format-entries.js";

export const progressShow: Command = {
  name: "progress show",
  summary: "show a progress entry: its summary, then its full text",
  arguments: [{ name: "<id>", summary: "entry id, from progress log or progress search" }],
  flags: [{ flags: "--project <name>", summary: "project name (default: the repository's name)" }],
  examples: ["merkle progress show a1b2c3d4e5f6", "merkle progress show a1b2c3d4e5f6 --project payments"],
  async run({ args: [id = ""], flags, config, io, output, signal }) {
    const projectId = await chooseProject(findFlag(flags, "project"), "merkle progress show <id>", io);
    const broker = await findBroker(config, signal);
    const entry = await broker.call("get_context", { projectId, id, includeFull: true });
    await output.page(entry, formatEntry(entry, output));
    return exitCodes.done;
  },
};
