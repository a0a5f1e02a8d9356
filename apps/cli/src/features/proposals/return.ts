import { limits } from "@merkle/wire/limits";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { decide, documentProposals, fileProposals, type ProposalTarget } from "./proposal-review.js";

/** Creates the command that asks an agent for another revision of a proposal. */
function createReturnCommand(target: ProposalTarget): Command {
  const { group, example } = target;
  return {
    name: `${group} return`,
    summary: "request changes to a proposal: an agent writes another revision",
    arguments: [
      ...target.arguments,
      { name: "[remark]", summary: "changes to make; - or a pipe reads them from stdin" },
    ],
    examples: [
      `merkle ${group} return ${example} "Keep the list of risks."`,
      `merkle ${group} return ${example} - < remark.md`,
    ],
    async run(context) {
      const { args, io, output, signal } = context;
      const review = await target.open(context);
      const remark = await readText({
        given: args[target.arguments.length],
        name: "the changes to make",
        usage: `${review.formatCommand("return", review.proposal.proposal_id)} <remark>`,
        bytesMax: limits.topicMessageBytesMax,
        io,
        signal,
      });
      const returned = await decide(review, { decision: "return", remark });
      output.show(returned, `${output.mark.ok} job ${returned.job_id} works on it`);
      output.note(`  follow: merkle jobs show ${returned.job_id} -f`);
      return exitCodes.done;
    },
  };
}

export const docReturn: Command = createReturnCommand(documentProposals);

export const sourceReturn: Command = createReturnCommand(fileProposals);
