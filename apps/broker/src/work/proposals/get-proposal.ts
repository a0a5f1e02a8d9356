import { readProposalContent } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { hunksTask } from "../../text/tasks.js";
import { requireReturnedDraft } from "../jobs/returned-draft.js";
import type { JobServices } from "../jobs/services.js";
import { toProposal } from "./proposal-output.js";
import { requireProposal } from "./require-proposal.js";
import { readBaseText, readCurrentText } from "./source-text.js";

/** Shows a proposal with what it would change of the text as it stands now; a decided one with what it changed (PROP-5). */
export async function getProposal(
  { services, principal }: Context<JobServices>,
  { proposal_id }: ParsedInputOf<"get_proposal">,
): Promise<OutputOf<"get_proposal">> {
  const { orm, meshId } = services.database;
  if (principal?.kind === "job") await requireReturnedDraft(orm, principal, proposal_id);
  const row = await requireProposal(orm, meshId, proposal_id);
  const [content, current] = await Promise.all([
    readProposalContent(orm, row),
    readCurrentText(services, row),
  ]);
  const from = row.status === "open" ? current.text : await readBaseText(services, row, row);
  const isKept = content !== null && from !== null;
  return {
    // What is said of the newest text is said of the one that the hunks are against.
    ...(await toProposal(services, { ...row, currentVersion: current.version }, current)),
    content,
    current_version: current.version,
    current_sha: current.sha,
    hunks: isKept ? await services.workers.run(hunksTask, { from, to: content }) : [],
  };
}
