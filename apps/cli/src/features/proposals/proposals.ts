import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import type { Flag } from "../../core/flags.js";
import { isSet } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { formatProposals } from "./format-proposal.js";

interface ProposalListQuery {
  readonly broker: BrokerClient;
  readonly selector: Pick<InputOf<"list_proposals">, "session_id" | "source_path">;
  /** Returns the command that shows a proposal and then accepts it. */
  formatAcceptCommand(number: number): string;
}

/** Prints the proposals for a document or a file, and suggests the next command. */
async function showProposals(
  { flags, output }: Pick<CommandContext, "flags" | "output">,
  { broker, selector, formatAcceptCommand }: ProposalListQuery,
): Promise<void> {
  const page = await broker.call("list_proposals", {
    ...selector,
    limit: limits.proposalsPageMax,
    ...(!isSet(flags, "all") && { status: "open" }),
  });
  if (output.json) output.show(page, "");
  else if (page.proposals.length === 0) output.note("  no proposals");
  else output.show(page, formatProposals(page.proposals, output));
  const first = page.proposals.find(({ status }) => status === "open");
  if (first) output.note(`  review: ${formatAcceptCommand(first.proposal_id)}`);
}

const listingFlags: readonly Flag[] = [{ flags: "--all", summary: "include the last 100 decided proposals" }];

export const docProposals: Command = {
  name: "doc proposals",
  summary: "list proposals for the document",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: listingFlags,
  examples: [
    "merkle doc proposals split-auth",
    "merkle doc proposals split-auth --all",
    "merkle doc proposals split-auth --json",
  ],
  async run(context) {
    const { args, config, signal } = context;
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, args[0], config);
    const formatAcceptCommand = (number: number) => `merkle doc accept ${slug} ${number}`;
    await showProposals(context, { broker, selector: { session_id }, formatAcceptCommand });
    return exitCodes.done;
  },
};

export const sourceProposals: Command = {
  name: "source proposals",
  summary: "list proposals for a file",
  arguments: [fileArgument],
  flags: listingFlags,
  examples: [
    "merkle source proposals docs/guide.md",
    "merkle source proposals docs/guide.md --all",
    "merkle source proposals docs/guide.md --json",
  ],
  async run(context) {
    const { args, config, signal } = context;
    const broker = await findBroker(config, signal);
    const formatAcceptCommand = (number: number) => `merkle source accept ${number}`;
    await showProposals(context, { broker, selector: { source_path: args[0] }, formatAcceptCommand });
    return exitCodes.done;
  },
};
