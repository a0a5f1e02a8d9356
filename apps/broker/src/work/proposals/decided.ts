import type { ProposalBesideSource } from "@merkle/db";
import type { OutputOf, ParsedInputOf, PersonContext } from "../../context.js";

type Output = OutputOf<"decide_proposal">;

/** One way to decide about a proposal; it answers what came of it. */
export type DecidedProposal = (
  ctx: PersonContext,
  proposal: ProposalBesideSource,
  input: ParsedInputOf<"decide_proposal">,
) => Promise<Pick<Output, "status"> & Partial<Output>>;
