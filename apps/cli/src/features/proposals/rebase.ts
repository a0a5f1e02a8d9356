import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { counted } from "../../text/time.js";
import { decide, ofDocuments, ofFiles, type ProposalTarget } from "./deciding.js";

/** Creates the command that rebases a stale proposal onto the newest text. */
function rebaseCommand(target: ProposalTarget, summary: string): Command {
  return {
    name: `${target.group} rebase`,
    summary,
    arguments: target.arguments,
    examples: [`merkle ${target.group} rebase ${target.example}`],
    async run(context) {
      const { output } = context;
      const deciding = await target.open(context);
      const rebased = await decide(deciding, { decision: "rebase" });
      const next = rebased.next_proposal_id ?? 0;
      const kept =
        rebased.conflicts === 0
          ? ""
          : `; in ${counted(rebased.conflicts, "place")} both had changed, so the newest text was kept`;
      output.show(rebased, `${output.mark.ok} now proposal ${next}${kept}`);
      output.note(`  review: ${deciding.commandFor("accept", next)}`);
      return exitCodes.done;
    },
  };
}

export const docRebase: Command = rebaseCommand(
  ofDocuments,
  "rebase a stale proposal onto the newest document, for review",
);

export const sourceRebase: Command = rebaseCommand(
  ofFiles,
  "rebase a stale proposal onto the newest text of its file, for review",
);
