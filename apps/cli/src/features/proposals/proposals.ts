import { type InputOf, type Proposal, toFileHref } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Command, CommandContext } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import type { Flag } from "../../core/flags.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";
import { formatTarget } from "./format-proposal.js";

interface ProposalListQuery {
  readonly broker: BrokerClient;
  readonly selector: Pick<InputOf<"list_proposals">, "session_id" | "source_path">;
  /** The page on which the proposals are decided. */
  readonly path: string;
  /** Returns the command that shows a proposal and then accepts it. */
  formatAcceptCommand(number: number): string;
}

/** Prints the proposals for a document or a file, and suggests the next command. */
async function showProposals(
  context: CommandContext,
  { broker, selector, path, formatAcceptCommand }: ProposalListQuery,
): Promise<number> {
  const { flags, output } = context;
  const limit = readLimit(flags, limits.proposalsPageMax) ?? limits.proposalsPageMax;
  if (isSet(flags, "web")) return openPage(context, broker, path);
  const page = await broker.call("list_proposals", {
    ...selector,
    limit,
    ...(!isSet(flags, "all") && { status: "open" }),
  });
  await showList(
    {
      value: page,
      rows: page.proposals,
      columns: listColumns(output),
      hasMore: page.has_more,
      empty: "  no proposals",
    },
    context,
  );
  const first = page.proposals.find(({ status }) => status === "open");
  if (first) output.note(`  review: ${formatAcceptCommand(first.proposal_id)}`);
  return exitCodes.done;
}

/** Returns the columns of a list of proposals. */
function listColumns({ bold, dim, signs }: Output): Column<Proposal>[] {
  return [
    { head: "Proposal", cell: ({ proposal_id }) => ({ text: String(proposal_id), paint: bold }) },
    { head: "Status", cell: ({ stale, status }) => (stale ? "stale" : status) },
    { head: "For", cell: formatTarget },
    { head: "Lines", cell: ({ added, removed }) => `+${added} ${signs.minus}${removed}` },
    {
      head: "By",
      widthMin: 8,
      isOptional: true,
      cell: ({ proposed_by }) => toOneLine(proposed_by ?? "agent"),
    },
    { head: "Proposed", isOptional: true, cell: ({ proposed_at }) => toMoment(proposed_at) },
    { head: "Note", widthMin: 12, cell: ({ note }) => ({ text: toOneLine(note), paint: dim }) },
  ];
}

const listingFlags: readonly Flag[] = [
  { flags: "--all", summary: "include the last 100 decided proposals" },
  limitFlag(limits.proposalsPageMax, limits.proposalsPageMax),
  webFlag,
];

export const docProposals: Command = {
  name: "doc proposals",
  summary: "list proposals for the document",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: listingFlags,
  examples: [
    "merkle doc proposals split-auth",
    "merkle doc proposals split-auth --all",
    "merkle doc proposals split-auth --json proposal_id,status",
  ],
  list: { operation: "list_proposals", rows: "proposals" },
  async run(context) {
    const { args, config, signal } = context;
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, args[0], config);
    const formatAcceptCommand = (number: number) => `merkle doc accept ${slug} ${number}`;
    const path = toSessionPath({ slug }, "doc");
    return showProposals(context, { broker, selector: { session_id }, path, formatAcceptCommand });
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
    "merkle source proposals docs/guide.md --json proposal_id,status",
  ],
  list: { operation: "list_proposals", rows: "proposals" },
  async run(context) {
    const { args, config, signal } = context;
    const broker = await findBroker(config, signal);
    const formatAcceptCommand = (number: number) => `merkle source accept ${number}`;
    const [file = ""] = args;
    const path = toFileHref({ file });
    return showProposals(context, { broker, selector: { source_path: file }, path, formatAcceptCommand });
  },
};
