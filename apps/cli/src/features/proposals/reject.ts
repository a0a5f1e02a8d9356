import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { decide, documentProposals, fileProposals, type ProposalTarget } from "./proposal-review.js";

/** Creates the command that rejects a proposal. */
function createRejectCommand(target: ProposalTarget): Command {
  const { group, example } = target;
  return {
    name: `${group} reject`,
    summary: "reject a proposal; its topic stays open",
    arguments: [...target.arguments, { name: "[remark]", summary: "reason, shown in its topic" }],
    examples: [`merkle ${group} reject ${example}`, `merkle ${group} reject ${example} "Too long."`],
    async run(context) {
      const { args, output } = context;
      const review = await target.open(context);
      const remark = args[target.arguments.length];
      const rejected = await decide(review, {
        decision: "reject",
        ...(remark !== undefined && { remark }),
      });
      output.show(rejected, `${output.mark.ok} proposal ${rejected.proposal_id} is rejected`);
      return exitCodes.done;
    },
  };
}

export const docReject: Command = createRejectCommand(documentProposals);

export const sourceReject: Command = createRejectCommand(fileProposals);
