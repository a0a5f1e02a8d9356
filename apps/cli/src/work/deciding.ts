import type { InputOf, OutputOf, ProposalInFull } from "@merkle/wire";
import { MerkleError } from "@merkle/wire/plain";
import type { Argument, CommandContext } from "../command/command.js";
import type { CliError } from "../core/cli-error.js";
import type { Actor } from "../identity/acting.js";

/** What a group of commands decides about proposals for: documents of sessions, or files under Git. */
export interface ProposalTarget {
  /** The group, as it is typed. */
  readonly group: "doc" | "source";
  /** What names a proposal on the command line. */
  readonly arguments: readonly Argument[];
  /** The same, in examples. */
  readonly example: string;
  /** Finds the proposal that the arguments name. @throws CliError `not_found` when it is for something else */
  open(context: Pick<CommandContext, "args" | "config" | "signal">): Promise<Deciding>;
}

/** A proposal that a command is about, and who decides about it. */
export interface Deciding {
  readonly proposal: ProposalInFull;
  readonly actor: Actor;
  /** What is typed to do this with a proposal of the same thing. */
  commandFor(verb: "accept" | "rebase" | "return", number: number): string;
  /** What is asked before `what` (it, a part of it, an edited text) is accepted. */
  questionFor(what: string): string;
  /** What is told when its base is not the newest text any more, which is this version or hash. */
  staleError(newest: unknown): CliError;
  /** Names the file in which its text is edited. */
  readonly draft: { readonly name: string; readonly extension?: string };
}

/** @throws CliError `conflict`, which says how to see what was written meanwhile, and how to go on */
export async function decide(
  { actor, proposal, staleError }: Deciding,
  decision: Omit<InputOf<"decide_proposal">, "proposal_id">,
): Promise<OutputOf<"decide_proposal">> {
  try {
    return await actor.call("decide_proposal", { ...decision, proposal_id: proposal.proposal_id });
  } catch (error) {
    if (!(error instanceof MerkleError) || error.details["rebased"] === undefined) throw error;
    throw staleError(error.details["current_version"] ?? error.details["current_sha"]);
  }
}
