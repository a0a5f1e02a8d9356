import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { listingFlags } from "../../proposals/listing-flags.js";
import { fileArgument } from "../../sources/argument.js";

export const sourceProposals: Command = {
  name: "source proposals",
  summary: "list the texts that are proposed for a file, to be decided about",
  arguments: [fileArgument],
  flags: listingFlags,
  examples: [
    "merkle source proposals docs/guide.md",
    "merkle source proposals docs/guide.md --all",
    "merkle source proposals docs/guide.md --json",
  ],
  async run(context) {
    const { args, config, signal } = context;
    const { findBroker } = await import("../../broker/broker-client.js");
    const { showProposals } = await import("../proposals/proposals.js");
    const broker = await findBroker(config, signal);
    const acceptBy = (number: number) => `merkle source accept ${number}`;
    await showProposals(context, { broker, of: { source_path: args[0] }, acceptBy });
    return exitCodes.done;
  },
};
