import type { ProposalWithVersion } from "@merkle/db";
import type { Write } from "../../core/write.js";
import { writeVersion } from "../../document/write-document.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { TeamActor } from "../../sessions/access/credentials.js";
import type { JobServices } from "../jobs/feature.js";
import { refuseStale } from "./refuse-stale.js";

/** Text that a person has accepted. */
export interface AcceptedText {
  readonly proposal: ProposalWithVersion;
  readonly content: string;
  /** The author of the proposal. */
  readonly proposedBy: string;
  readonly approvedBy: string;
  /** The version or hash that the person reviewed. */
  readonly seen: number | string;
}

/** The session whose document the text is written to, and the team that writes it. */
export interface AcceptContext {
  readonly services: JobServices;
  readonly session: SessionIdentity;
  /** The person's team in that session. */
  readonly team: TeamActor;
}

/** The document version or commit that was made from accepted text. */
export type ApplyResult =
  | { readonly version: number; readonly commit: null }
  | { readonly version: null; readonly commit: string };

/**
 * Writes accepted text as the next version of its document, in the transaction that records the acceptance. The
 * version names the proposer and the approver.
 *
 * @throws StaleBase if the document has a newer version than the person reviewed or the proposal is based on
 */
export async function applyAccepted(
  write: Write,
  context: AcceptContext,
  { proposal, content, proposedBy, approvedBy, seen }: AcceptedText,
): Promise<ApplyResult> {
  const { version } = await writeVersion(
    context,
    write,
    (current) => {
      refuseStale(proposal, seen, current.version);
      return content;
    },
    `${proposedBy}, approved by ${approvedBy}`,
  );
  return { version, commit: null };
}
