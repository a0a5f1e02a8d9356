import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { endingWithLine } from "../../text/one-line.js";
import { fileArgument } from "../../work/commented.js";
import { shortHash } from "../../work/format-proposal.js";

export const sourceShow: Command = {
  name: "source show",
  summary: "print a file under Git as agents read it",
  arguments: [fileArgument],
  examples: ["merkle source show docs/guide.md", "merkle source show docs/guide.md --json"],
  async run({ args: [source_path = ""], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const read = await broker.call("read_source", { source_path });
    output.print(read, output.terminal ? endingWithLine(neutralise(read.text)) : read.text);
    const stands = read.committed ? "" : "; it is not committed, and nothing is accepted until it is";
    output.note(`  ${source_path} is ${shortHash(read.source_sha)}${stands}`);
    return exitCodes.done;
  },
};
