import { type InputOf, MerkleError, type OutputOf, type ProposalInFull } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Argument, CommandContext } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { type Actor, getPersonActor, getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { toShellWord } from "../../text/shell.js";
import { shortenHash } from "./format-proposal.js";

/**
 * The kind of text whose proposals a group of commands handles: documents of sessions, or files under Git.
 */
export interface ProposalTarget {
  /** The first word of the commands in the group. */
  readonly group: "doc" | "source";
  /** The arguments that identify a proposal. */
  readonly arguments: readonly Argument[];
  /** The arguments to show in examples. */
  readonly example: string;
  /**
   * Finds the proposal that the arguments identify.
   *
   * @throws CliError `not_found` if the proposal is for a different text
   */
  open(context: Pick<CommandContext, "args" | "config" | "signal">): Promise<ProposalReview>;
}

/** A proposal to decide on, and the actor who decides. */
export interface ProposalReview {
  readonly proposal: ProposalInFull;
  readonly actor: Actor;
  /** Returns the command that performs this action on a proposal for the same text. */
  formatCommand(verb: "accept" | "rebase" | "return", number: number): string;
  /** Returns the question that asks the user to confirm accepting `what`, such as "it" or an edited text. */
  formatQuestion(what: string): string;
  /** Returns the error for a proposal whose base is stale. `newest` is the current version or hash. */
  staleError(newest: unknown): CliError;
  /** The name of the file in which the user edits the proposal's text. */
  readonly draft: { readonly name: string; readonly extension?: string };
}

/**
 * Decides on a proposal.
 *
 * @throws CliError `conflict` if its base is stale, with the commands that show the newer text and rebase the proposal
 */
export async function decide(
  { actor, proposal, staleError }: ProposalReview,
  decision: Omit<InputOf<"decide_proposal">, "proposal_id">,
): Promise<OutputOf<"decide_proposal">> {
  try {
    return await actor.call("decide_proposal", { ...decision, proposal_id: proposal.proposal_id });
  } catch (error) {
    if (!(error instanceof MerkleError) || error.details["rebased"] === undefined) throw error;
    throw staleError(error.details["current_version"] ?? error.details["current_sha"]);
  }
}

/** Handles proposals for the documents and the Conclusions of sessions. */
export const documentProposals: ProposalTarget = {
  group: "doc",
  arguments: [
    { name: "<session>", summary: "slug, id or exact title" },
    { name: "<number>", summary: "proposal number, from merkle doc proposals" },
  ],
  example: "split-auth 9",
  async open({ args: [name, number = ""], config, signal }) {
    const proposal_id = toNumber(number, "A proposal");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { slug } = session;
    const proposal = await broker.call("get_proposal", { proposal_id });
    if (proposal.session_id !== session.session_id) {
      throw new CliError("not_found", `${slug} has no proposal ${proposal_id}.`, {
        exitCode: exitCodes.not_found,
        next: [`merkle doc proposals ${slug}`],
      });
    }
    const current = proposal.current_version ?? 0;
    return {
      proposal,
      actor: await getSessionActor(session, { broker, config }),
      formatCommand: (verb, number) => `merkle doc ${verb} ${slug} ${number}`,
      formatQuestion: (what) =>
        proposal.kind === "conclusion"
          ? `Conclude ${slug} with ${what}?`
          : `Make ${what} v${current + 1} of ${slug}?`,
      staleError(newest) {
        const { base_version } = proposal;
        return new CliError(
          "conflict",
          `Proposal ${proposal_id} is based on v${base_version}, but the document is at v${newest}. Nothing was written.`,
          {
            exitCode: exitCodes.conflict,
            next: [
              `merkle doc diff ${slug} ${base_version}..${newest}`,
              `merkle doc rebase ${slug} ${proposal_id}`,
            ],
            details: { proposal_id, base_version, current_version: newest },
          },
        );
      },
      draft: { name: `${slug}-proposal-${proposal_id}-v${current}` },
    };
  },
};

/** Handles proposals for files under Git, which are identified only by their number. */
export const fileProposals: ProposalTarget = {
  group: "source",
  arguments: [{ name: "<number>", summary: "proposal number, from merkle source proposals" }],
  example: "9",
  async open({ args: [number = ""], config, signal }) {
    const proposal_id = toNumber(number, "A proposal");
    const broker = await findBroker(config, signal);
    const proposal = await broker.call("get_proposal", { proposal_id });
    const { base_sha, session, source_path } = proposal;
    if (source_path === null || base_sha === null) {
      throw new CliError("not_found", `Proposal ${proposal_id} is not for a file.`, {
        exitCode: exitCodes.not_found,
        next: [`merkle doc accept ${session} ${proposal_id}`],
      });
    }
    return {
      proposal,
      actor: getPersonActor({ broker, config }),
      formatCommand: (verb, number) => `merkle source ${verb} ${number}`,
      formatQuestion: (what) => `Commit ${what} to ${source_path}?`,
      staleError(newest) {
        const now = typeof newest === "string" ? `is ${shortenHash(newest)}` : "cannot be read";
        return new CliError(
          "conflict",
          `Proposal ${proposal_id} is based on ${shortenHash(base_sha)}, but ${source_path} ${now}. Nothing was written.`,
          {
            exitCode: exitCodes.conflict,
            next: [`merkle source show ${toShellWord(source_path)}`, `merkle source rebase ${proposal_id}`],
            details: { proposal_id, base_sha, current_sha: newest ?? null },
          },
        );
      },
      draft: { name: `proposal-${proposal_id}`, extension: toDraftExtension(source_path) },
    };
  },
};

function toDraftExtension(path: string): string {
  return /\.\w{1,20}$/.exec(path)?.[0] ?? ".md";
}
