import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { decide, ofDocuments, ofFiles, type ProposalTarget } from "./deciding.js";

/** Creates the command that rejects a proposal. */
function rejectCommand(target: ProposalTarget): Command {
  const { group, example } = target;
  return {
    name: `${group} reject`,
    summary: "reject a proposal; its topic stays open",
    arguments: [...target.arguments, { name: "[remark]", summary: "reason, shown in its topic" }],
    examples: [`merkle ${group} reject ${example}`, `merkle ${group} reject ${example} "Too long."`],
    async run(context) {
      const { args, output } = context;
      const deciding = await target.open(context);
      const remark = args[target.arguments.length];
      const rejected = await decide(deciding, {
        decision: "reject",
        ...(remark !== undefined && { remark }),
      });
      output.show(rejected, `${output.mark.ok} proposal ${rejected.proposal_id} is rejected`);
      return exitCodes.done;
    },
  };
}

export const docReject: Command = rejectCommand(ofDocuments);

export const sourceReject: Command = rejectCommand(ofFiles);
