import { type ApprovalKey, type ApprovalRow, endApproval } from "@merkle/db";
import { type Approval, type ApprovalState, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { turnEndTool } from "@merkle/wire/text";
import type { Write } from "../../core/write.js";
import type { FeedServices } from "../../feed/services.js";

export type ApprovalServices = FeedServices;

/** Converts an approval row to the form shown to the agent's person. */
export function toApproval(row: ApprovalRow): Approval {
  const { number, sessionId, session, askedBy, tool, input, folder, salt, hash, words, answers } = row;
  return {
    ...{ approval: number, session_id: sessionId, session, asked_by: askedBy },
    ...{ tool, input, folder, salt, hash, words, answers },
    state: toApprovalState(row),
    repeatable: row.repeatHash !== null,
    again: isRepeated(row),
    allowed_by: row.allowedBy,
    asked_at: row.askedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

/**
 * Returns the state of an approval. A pending approval counts as lapsed if its agent is no longer waiting for
 * the answer (APPROVE-6).
 */
export function toApprovalState({ state, live }: Pick<ApprovalRow, "state" | "live">): ApprovalState {
  return state === "waiting" && !live ? "lapsed" : state;
}

/** Returns whether the command is still allowed again (APPROVE-17). */
function isRepeated({ again, endedAt }: ApprovalRow): boolean {
  return again && endedAt !== null && endedAt.getTime() + limits.approvalAgainHours * 3_600_000 > Date.now();
}

/** How an approval ends. */
export interface ApprovalEnd extends Partial<Pick<ApprovalRow, "words" | "answers" | "own">> {
  readonly state: Exclude<ApprovalRow["state"], "waiting">;
  readonly by: string | null;
  /** Whether the person allows the command again while the agent's launch runs. */
  readonly again?: boolean;
  /** The earlier approval whose answer this is. */
  readonly allowedBy?: number;
}

const noAnswer = { words: null, answers: null, own: null };

/**
 * Ends a pending approval and posts the result to the session's feed, with a hash instead of the request
 * itself (APPROVE-7). If several callers end the same approval at the same time, only one of the calls
 * returns true.
 */
export async function settleApproval(
  services: ApprovalServices,
  { tx, announce, afterCommit }: Write,
  row: Pick<ApprovalRow, "meshId" | "number" | "askedBy" | "tool" | "hash" | "sessionId" | "personId">,
  end: ApprovalEnd,
): Promise<boolean> {
  const { number: approval, askedBy: of, tool, hash, sessionId, personId } = row;
  const { again: isAllowedAgain = false, allowedBy = null } = end;
  if (!(await endApproval(tx, row, { ...noAnswer, ...end, again: isAllowedAgain, allowedBy }))) return false;
  const again = isAllowedAgain ? approval : allowedBy;
  const at = new Date().toISOString();
  // If the agent begins another turn, nobody has decided anything.
  if (tool !== turnEndTool || end.state !== "withdrawn")
    await announce(
      sessionId,
      {
        ...{
          event: "approval_ended" as const,
          approval,
          of,
          tool,
          hash,
          decision: end.state,
          by: end.by,
          at,
        },
        ...(again !== null && { again }),
      },
      { causedBy: null, afterClosing: true, reaches: [] },
    );
  afterCommit(() => services.mesh.announceToPerson(personId, sessionId));
  return true;
}

export function noSuchApproval({ number }: Pick<ApprovalKey, "number">): MerkleError {
  return new MerkleError(
    "not_found",
    `Approval ${number} was not sent to this device. Answer it on a device that was an approver when the agent was launched (merkle config set approvers).`,
  );
}
