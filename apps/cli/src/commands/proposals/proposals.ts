import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/plain";
import type { BrokerClient } from "../../broker/broker-client.js";
import type { CommandContext } from "../../command/command.js";
import { isSet } from "../../command/flags.js";
import { formatProposals } from "../../work/format-proposal.js";

interface Wanted {
  readonly broker: BrokerClient;
  readonly of: Pick<InputOf<"list_proposals">, "session_id" | "source_path">;
  /** What is typed to look at one and decide. */
  acceptBy(number: number): string;
}

/** Shows what is proposed for a document or a file, and how to go on. */
export async function showProposals(
  { flags, output }: Pick<CommandContext, "flags" | "output">,
  { broker, of, acceptBy }: Wanted,
): Promise<void> {
  const page = await broker.call("list_proposals", {
    ...of,
    limit: limits.proposalsPageMax,
    ...(!isSet(flags, "all") && { status: "open" }),
  });
  if (output.json) output.show(page, "");
  else if (page.proposals.length === 0) output.note("  no proposals");
  else output.show(page, formatProposals(page.proposals, output));
  const first = page.proposals.find(({ status }) => status === "open");
  if (first) output.note(`  look and decide: ${acceptBy(first.proposal_id)}`);
}
