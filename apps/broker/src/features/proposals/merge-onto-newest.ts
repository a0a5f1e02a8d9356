import { type ProposalRow, readProposalContent } from "@merkle/db";
import { mergeTextsTask } from "../../text/tasks.js";
import type { JobServices } from "../jobs/feature.js";
import { readBaseText, readCurrentText } from "./source-text.js";

export interface MergedProposal {
  readonly content: string;
  /** The newest text, and what names it. */
  readonly current: string;
  readonly version: number | null;
  readonly sha: string | null;
  /** The headings of the places where both had changed, and where the newest text was kept. */
  readonly conflicts: readonly string[];
}

/** Brings a proposal onto the newest text; null when what it was made from was redacted. A conclusion is proposed whole. */
export async function mergeOntoNewest(
  services: JobServices,
  proposal: ProposalRow,
): Promise<MergedProposal | null> {
  const [proposed, base, { text: current, version, sha }] = await Promise.all([
    readProposalContent(services.database.orm, proposal),
    readBaseText(services, proposal, proposal),
    readCurrentText(services, proposal),
  ]);
  if (proposed === null || base === null) return null;
  const newest = { current, version, sha };
  if (proposal.kind === "conclusion") return { ...newest, content: proposed, conflicts: [] };
  return { ...newest, ...(await services.workers.run(mergeTextsTask, { base, current, proposed })) };
}
