import { CliError, exitCodes } from "../core/cli-error.js";
import type { ProposalTarget } from "../work/deciding.js";

/** Proposals for files under Git, which are found by their number alone. */
export const ofFiles: ProposalTarget = {
  group: "source",
  arguments: [{ name: "<number>", summary: "the proposal, as merkle source proposals shows it" }],
  example: "9",
  async open({ args: [number = ""], config, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { toNumber } = await import("../member/to-number.js");
    const { actingAsPerson } = await import("../identity/acting.js");
    const { shellWord } = await import("../shell-word.js");
    const { shortHash } = await import("../sources/short-hash.js");
    const proposal_id = toNumber(number, "A proposal");
    const broker = await findBroker(config, signal);
    const proposal = await broker.call("get_proposal", { proposal_id });
    const { base_sha, session, source_path } = proposal;
    if (source_path === null || base_sha === null) {
      throw new CliError("not_found", `Proposal ${proposal_id} is for no file.`, {
        exitCode: exitCodes.not_found,
        next: [`merkle doc accept ${session} ${proposal_id}`],
      });
    }
    return {
      proposal,
      actor: actingAsPerson({ broker, config }),
      commandFor: (verb, number) => `merkle source ${verb} ${number}`,
      questionFor: (what) => `Commit ${what} to ${source_path}?`,
      staleError(newest) {
        const now = typeof newest === "string" ? `is ${shortHash(newest)}` : "cannot be read";
        return new CliError(
          "conflict",
          `Proposal ${proposal_id} was made on ${shortHash(base_sha)}, ${source_path} ${now}. Nothing was written.`,
          {
            exitCode: exitCodes.conflict,
            next: [`merkle source show ${shellWord(source_path)}`, `merkle source rebase ${proposal_id}`],
            details: { proposal_id, base_sha, current_sha: newest ?? null },
          },
        );
      },
      draft: { name: `proposal-${proposal_id}`, extension: extensionOf(source_path) },
    };
  },
};

function extensionOf(path: string): string {
  return /\.\w{1,20}$/.exec(path)?.[0] ?? ".md";
}
