import type { ProposalBesideSource } from "@merkle/db";
import type { Write } from "../../core/write.js";
import { writeVersion } from "../../document/write-document.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { TeamActor } from "../../sessions/access/credentials.js";
import type { JobServices } from "../jobs/feature.js";
import { refuseStale } from "./refuse-stale.js";

/** A text that a person has accepted. */
export interface AcceptedText {
  readonly proposal: ProposalBesideSource;
  readonly content: string;
  /** The author of the proposal, and the person who accepted it. */
  readonly proposedBy: string;
  readonly approvedBy: string;
  /** The version or hash that the person has seen. */
  readonly seen: number | string;
}

/** Where it is written, and in whose name. */
export interface AcceptedPlace {
  readonly services: JobServices;
  readonly session: SessionIdentity;
  /** The person's team there. */
  readonly team: TeamActor;
}

/** The version or the commit that an accepted text became. */
export type Applied =
  | { readonly version: number; readonly commit: null }
  | { readonly version: null; readonly commit: string };

/**
 * Makes an accepted text what its source says, within the transaction that notes the acceptance. A document gets its next
 * version. A file is committed, with the proposer as author and the approver, the topic and the proposal as trailers: last of
 * all that can fail, and only if the file's hash is still the proposal's base, because a commit cannot be taken back when the
 * transaction fails.
 *
 * @throws conflict when what the person has seen, or what the proposal was made from, is not what stands there now
 */
export async function applyAccepted(
  write: Write,
  place: AcceptedPlace,
  { proposal, content, proposedBy, approvedBy, seen }: AcceptedText,
): Promise<Applied> {
  const { version } = await writeVersion(
    place,
    write,
    (current) => {
      refuseStale(proposal, seen, current.version);
      return content;
    },
    `${proposedBy}, approved by ${approvedBy}`,
  );
  return { version, commit: null };
}
