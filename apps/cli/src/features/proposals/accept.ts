import type { ProposalInFull } from "@merkle/wire";
import { askYesOrNo, canAsk } from "../../command/ask.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { createDraft, openEditor } from "../../document/draft.js";
import { formatProposal } from "./format-proposal.js";
import {
  decide,
  documentProposals,
  fileProposals,
  type ProposalReview,
  type ProposalTarget,
} from "./proposal-review.js";

/** Creates the command that shows a proposal's changes and then accepts the proposal. */
function createAcceptCommand(target: ProposalTarget, summary: string): Command {
  const { group, example } = target;
  return {
    name: `${group} accept`,
    summary,
    arguments: target.arguments,
    flags: [
      { flags: "--hunks <numbers>", summary: "accept only these changes, such as 1,3" },
      { flags: "--edit", summary: "edit the text before accepting" },
      { flags: "-y, --yes", summary: "skip the confirmation prompt" },
    ],
    examples: [
      `merkle ${group} accept ${example}`,
      `merkle ${group} accept ${example} --hunks 1,3 -y`,
      `merkle ${group} accept ${example} --edit`,
    ],
    run: (context) => accept(context, target),
  };
}

async function accept(context: CommandContext, target: ProposalTarget): Promise<number> {
  const { flags, output } = context;
  const hunkNumbers = findFlag(flags, "hunks");
  const shouldEdit = isSet(flags, "edit");
  if (hunkNumbers !== undefined && shouldEdit) throw usageError("Give --hunks or --edit, not both.");
  if (!isSet(flags, "yes") && !canAsk(context)) {
    throw usageError(
      "Cannot ask for confirmation without a terminal. Add --yes to accept.",
      `merkle help ${target.group} accept`,
    );
  }
  if (shouldEdit && !canAsk(context)) throw usageError("--edit needs a terminal.");
  const review = await target.open(context);
  const { proposal } = review;
  if (proposal.stale) throw review.staleError(proposal.current_version ?? proposal.current_sha);
  if (!output.json && proposal.status === "open") output.note(formatProposal(proposal, output));
  const hunks = hunkNumbers === undefined ? undefined : chooseHunks(proposal, hunkNumbers);
  const edited = shouldEdit ? await editProposalText(context, review) : undefined;
  if (proposal.status === "open" && !(await askToConfirm(context, review, hunks?.length))) {
    if (edited) output.note(`  nothing was accepted; your text is saved in ${edited.path}`);
    else output.note("  nothing was accepted");
    return exitCodes.interrupted;
  }
  const accepted = await decide(review, {
    decision: "accept",
    base: proposal.current_version ?? proposal.current_sha ?? "",
    ...(hunks && { hunks }),
    ...(edited && { content: edited.content }),
  }).catch((error: unknown) => {
    if (edited) output.note(`  your text is saved in ${edited.path}`);
    throw error;
  });
  await edited?.remove();
  const result = accepted.version === null ? `commit ${accepted.commit}` : `document v${accepted.version}`;
  output.show(accepted, `${output.mark.ok} ${result}`);
  return exitCodes.done;
}

/** Returns the ids of the chosen hunks. @throws CliError `usage` if a number does not identify a hunk */
function chooseHunks({ hunks }: ProposalInFull, text: string): string[] {
  const numbers = text.split(",").map((each) => Number(each.trim()));
  return numbers.map((number) => {
    const hunk = hunks[number - 1];
    if (hunk) return hunk.id;
    throw usageError(`--hunks takes numbers from 1 to ${hunks.length}, such as 1,3; got ${text}.`);
  });
}

/**
 * Lets the user edit the text, and returns the edited text. The draft's file is kept until the text is
 * accepted.
 */
async function editProposalText(
  { config, io, signal }: CommandContext,
  { draft: named, proposal }: ProposalReview,
) {
  const draft = await createDraft({ home: config.home, ...named }, proposal.content ?? "");
  await openEditor(draft.path, io.env);
  signal.throwIfAborted();
  return { content: await draft.read(), path: draft.path, remove: draft.remove };
}

async function askToConfirm(
  context: CommandContext,
  { formatQuestion }: ProposalReview,
  hunks: number | undefined,
): Promise<boolean> {
  if (isSet(context.flags, "yes")) return true;
  const what = isSet(context.flags, "edit")
    ? "your edited text"
    : hunks === undefined
      ? "it"
      : `these ${hunks}`;
  return askYesOrNo(formatQuestion(what), context);
}

export const docAccept: Command = createAcceptCommand(
  documentProposals,
  "accept a proposal as the next version, in whole, in part or edited; shows the changes first",
);

export const sourceAccept: Command = createAcceptCommand(
  fileProposals,
  "commit a proposal as the agent, in whole, in part or edited; shows the changes first",
);
