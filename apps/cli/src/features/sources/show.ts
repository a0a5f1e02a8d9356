import { findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { printForeign, rawFlag } from "../../text/print-foreign.js";

export const sourceShow: Command = {
  name: "source show",
  summary: "print a Git file as agents see it",
  arguments: [fileArgument],
  flags: [rawFlag],
  examples: ["merkle source show docs/guide.md", "merkle source show docs/guide.md --json"],
  async run({ args: [source_path = ""], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const source = await broker.call("read_source", { source_path });
    await printForeign(output, source, source.text, { raw: isSet(flags, "raw") });
    const uncommittedNote = source.committed
      ? ""
      : "; it has uncommitted changes, so no proposal can be accepted until they are committed";
    output.note(`  ${source_path} is ${source.source_sha.slice(0, 8)}${uncommittedNote}`);
    return exitCodes.done;
  },
};
