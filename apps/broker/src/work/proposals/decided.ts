import type { ProposalBesideSource } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/services.js";

type Output = OutputOf<"decide_proposal">;

/** One way to decide about a proposal; it answers what came of it. */
export type DecidedProposal = (
  ctx: PersonContext<JobServices>,
  proposal: ProposalBesideSource,
  input: ParsedInputOf<"decide_proposal">,
) => Promise<Pick<Output, "status"> & Partial<Output>>;
