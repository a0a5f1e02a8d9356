import { type ClaimRow, insertClaims, type TaskRow, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { TeamContext } from "../../sessions/context.js";
import {
  announceClaim,
  describeClaims,
  findConflicts,
  listOthersClaims,
  refuseConflicts,
  toClaimant,
  toConflictDetails,
} from "./claim.js";
import type { TaskServices } from "./services.js";

/**
 * A task's files are claimed as long as a peer holds the task (TASK-14). Every write takes its locks in the same
 * order: session, task, claims, feed. Claims therefore change before the first event is posted.
 */

type Files = Pick<TaskRow, "number" | "files">;

/**
 * Returns the claims of other peers that prevent a claim on a task's files. The caller must hold the lock on the
 * session.
 */
export async function findFileConflicts(
  ctx: TeamContext<TaskServices>,
  tx: Transaction,
  { files }: Files,
  repository: string | null,
): Promise<readonly ClaimRow[]> {
  if (files.length === 0) return [];
  return findConflicts({ scopes: files, repository, shared: false }, await listOthersClaims(ctx, tx));
}

/**
 * Claims a task's files for the caller, by the rules for any claim (CLAIM-2). The caller must hold the lock on the
 * session.
 *
 * @throws conflict, with the claims of other peers that prevent it
 */
export async function claimFiles(
  ctx: TeamContext<TaskServices>,
  tx: Transaction,
  task: Files,
  repository: string | null,
): Promise<ClaimRow[]> {
  const { number, files: scopes } = task;
  if (scopes.length === 0) return [];
  const claim = { scopes, repository, shared: false };
  await refuseConflicts(ctx, tx, claim, (conflicts) => filesAreClaimed(ctx, number, conflicts));
  return insertClaims(tx, { ...toClaimant(ctx), ...claim, seconds: null, reason: `task ${number}` });
}

export function filesAreClaimed(
  ctx: TeamContext<TaskServices>,
  task: number,
  conflicts: readonly ClaimRow[],
): MerkleError {
  return new MerkleError(
    "conflict",
    `Task ${task} cannot be claimed: ${describeClaims(conflicts)}. Nothing was claimed. Ask the holder, or do something else first.`,
    { task, ...toConflictDetails(ctx, conflicts) },
  );
}

/** Posts the events for claims that began or ended with a task. The task's own event notifies the peers that it concerns. */
export async function announceFileClaims(
  ctx: TeamContext<TaskServices>,
  write: Write,
  rows: readonly ClaimRow[],
  change: "claimed" | "released",
): Promise<void> {
  for (const row of rows) {
    const isOthers = row.peerId !== ctx.team.peer.peerId;
    await announceClaim(ctx, write, row, {
      change,
      ...(change === "claimed" && row.reason !== null && { reason: row.reason }),
      ...(isOthers && { holder: row.holder }),
    });
  }
}
