import { type ProposalRow, readProposalContent } from "@merkle/db";
import { mergeTextsTask } from "../../text/tasks.js";
import type { JobServices } from "../jobs/feature.js";
import { readBaseText, readCurrentText } from "./source-text.js";

export interface MergedProposal {
  readonly content: string;
  /** The newest text, with its version or hash. */
  readonly current: string;
  readonly version: number | null;
  readonly sha: string | null;
  /**
   * Headings of the sections that both the proposal and the newest text changed. In these sections, the
   * newest text is kept.
   */
  readonly conflicts: readonly string[];
}

/**
 * Merges a proposal onto the newest text. Returns null if the proposal's base text was redacted. A
 * conclusion is not merged, because it replaces the whole section.
 */
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
