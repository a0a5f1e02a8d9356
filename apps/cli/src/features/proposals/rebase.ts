import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { formatCount } from "../../text/time.js";
import { decide, documentProposals, fileProposals, type ProposalTarget } from "./proposal-review.js";

/** Creates the command that rebases a stale proposal onto the newest text. */
function createRebaseCommand(target: ProposalTarget, summary: string): Command {
  return {
    name: `${target.group} rebase`,
    summary,
    arguments: target.arguments,
    examples: [`merkle ${target.group} rebase ${target.example}`],
    async run(context) {
      const { output } = context;
      const review = await target.open(context);
      const rebased = await decide(review, { decision: "rebase" });
      const next = rebased.next_proposal_id ?? 0;
      const conflictText =
        rebased.conflicts === 0
          ? ""
          : `; in ${formatCount(rebased.conflicts, "place")} both had changed, so the newest text was kept`;
      output.show(rebased, `${output.mark.ok} now proposal ${next}${conflictText}`);
      output.note(`  review: ${review.formatCommand("accept", next)}`);
      return exitCodes.done;
    },
  };
}

export const docRebase: Command = createRebaseCommand(
  documentProposals,
  "rebase a stale proposal onto the newest document, for review",
);

export const sourceRebase: Command = createRebaseCommand(
  fileProposals,
  "rebase a stale proposal onto the newest text of its file, for review",
);
