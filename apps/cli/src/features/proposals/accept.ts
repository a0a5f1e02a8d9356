import type { ProposalInFull } from "@merkle/wire";
import { askYesOrNo, canAsk } from "../../command/ask.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { isSet, textOf } from "../../core/flags.js";
import { createDraft, openEditor } from "../../document/draft.js";
import { type Deciding, decide, ofDocuments, ofFiles, type ProposalTarget } from "./deciding.js";
import { formatProposal } from "./format-proposal.js";

/** Creates the command that shows a proposal's changes and then accepts the proposal. */
function acceptCommand(target: ProposalTarget, summary: string): Command {
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
  const chosen = textOf(flags, "hunks");
  const edits = isSet(flags, "edit");
  if (chosen !== undefined && edits) throw usageError("Give --hunks or --edit, not both.");
  if (!isSet(flags, "yes") && !canAsk(context)) {
    throw usageError(
      "Cannot ask for confirmation without a terminal. Add --yes to accept.",
      `merkle help ${target.group} accept`,
    );
  }
  if (edits && !canAsk(context)) throw usageError("--edit needs a terminal.");
  const deciding = await target.open(context);
  const { proposal } = deciding;
  if (proposal.stale) throw deciding.staleError(proposal.current_version ?? proposal.current_sha);
  if (!output.json && proposal.status === "open") output.note(formatProposal(proposal, output));
  const hunks = chosen === undefined ? undefined : chooseHunks(proposal, chosen);
  const edited = edits ? await editText(context, deciding) : undefined;
  if (proposal.status === "open" && !(await isMeant(context, deciding, hunks?.length))) {
    if (edited) output.note(`  nothing was accepted; your text is saved in ${edited.keptIn}`);
    else output.note("  nothing was accepted");
    return exitCodes.interrupted;
  }
  const accepted = await decide(deciding, {
    decision: "accept",
    base: proposal.current_version ?? proposal.current_sha ?? "",
    ...(hunks && { hunks }),
    ...(edited && { content: edited.content }),
  }).catch((error: unknown) => {
    if (edited) output.note(`  your text is saved in ${edited.keptIn}`);
    throw error;
  });
  await edited?.remove();
  const made = accepted.version === null ? `commit ${accepted.commit}` : `document v${accepted.version}`;
  output.show(accepted, `${output.mark.ok} ${made}`);
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
async function editText({ config, io, signal }: CommandContext, { draft: named, proposal }: Deciding) {
  const draft = await createDraft({ home: config.home, ...named }, proposal.content ?? "");
  await openEditor(draft.path, io.env);
  signal.throwIfAborted();
  return { content: await draft.read(), keptIn: draft.path, remove: draft.remove };
}

async function isMeant(
  context: CommandContext,
  { questionFor }: Deciding,
  hunks: number | undefined,
): Promise<boolean> {
  if (isSet(context.flags, "yes")) return true;
  const what = isSet(context.flags, "edit")
    ? "your edited text"
    : hunks === undefined
      ? "it"
      : `these ${hunks}`;
  return askYesOrNo(questionFor(what), context);
}

export const docAccept: Command = acceptCommand(
  ofDocuments,
  "accept a proposal as the next version, in whole, in part or edited; shows the changes first",
);

export const sourceAccept: Command = acceptCommand(
  ofFiles,
  "commit a proposal as the agent, in whole, in part or edited; shows the changes first",
);
