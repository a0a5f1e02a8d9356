import { CliError, exitCodes } from "../core/cli-error.js";
import type { ProposalTarget } from "../work/deciding.js";

/** Proposals for the documents and the Conclusions of sessions. */
export const ofDocuments: ProposalTarget = {
  group: "doc",
  arguments: [
    { name: "<session>", summary: "slug, id or exact title" },
    { name: "<number>", summary: "the proposal, as merkle doc proposals shows it" },
  ],
  example: "split-auth 9",
  async open({ args: [name, number = ""], config, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { toNumber } = await import("../member/to-number.js");
    const { actingIn } = await import("../identity/acting.js");
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
      actor: await actingIn(session, { broker, config }),
      commandFor: (verb, number) => `merkle doc ${verb} ${slug} ${number}`,
      questionFor: (what) =>
        proposal.kind === "conclusion"
          ? `Conclude ${slug} with ${what}?`
          : `Make ${what} v${current + 1} of ${slug}?`,
      staleError(newest) {
        const { base_version } = proposal;
        return new CliError(
          "conflict",
          `Proposal ${proposal_id} was made on v${base_version}, document is v${newest}. Nothing was written.`,
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
