import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { listingFlags } from "../../proposals/listing-flags.js";

export const docProposals: Command = {
  name: "doc proposals",
  summary: "list the texts that are proposed for the document, to be decided about",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" }],
  flags: listingFlags,
  examples: [
    "merkle doc proposals split-auth",
    "merkle doc proposals split-auth --all",
    "merkle doc proposals split-auth --json",
  ],
  async run(context) {
    const { args, config, signal } = context;
    const { findBroker } = await import("../../broker/broker-client.js");
    const { getSession } = await import("../../sessions/find-session.js");
    const { showProposals } = await import("../proposals/proposals.js");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, args[0], config);
    const acceptBy = (number: number) => `merkle doc accept ${slug} ${number}`;
    await showProposals(context, { broker, of: { session_id }, acceptBy });
    return exitCodes.done;
  },
};
