import {
  deleteTaskClaims,
  lockSession,
  noHolder,
  type TaskRow,
  type TaskUpdate,
  updateTaskRow,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../../sessions/context.js";
import { findAssignee, refuseBadBlockers, refuseCheckOfAgent } from "./assign-task.js";
import { removeDuplicates } from "./create-task.js";
import { announceReady, findReviewers } from "./finish-task.js";
import type { TaskServices } from "./services.js";
import {
  announceTask,
  isHuman,
  notHeld,
  refuseNonHolder,
  requireTask,
  toErrorDetails,
  toTask,
} from "./task.js";
import { announceFileClaims } from "./task-files.js";

type UpdateTaskInput = ParsedInputOf<"update_task">;

/**
 * Changes a task's text, assignee or blockers, or cancels the task. A finished or cancelled task cannot be
 * changed (TASK-9).
 */
export async function updateTask(
  ctx: TeamContext<TaskServices>,
  input: UpdateTaskInput,
): Promise<OutputOf<"update_task">> {
  const { sessionId } = ctx.session;
  const key = { sessionId, number: input.task };
  refuseCheckOfAgent(ctx, input.check);
  const assigned = input.assignee === undefined ? {} : await findAssignee(ctx, input.assignee);
  return ctx.write(async (write) => {
    await lockSession(write.tx, sessionId);
    const before = await requireTask(write.tx, ctx, input.task);
    refuseOthers(ctx, before, input.fence);
    if (input.files && before.state !== "open") throw filesAreFixed(before);
    if (input.blocked_by) await refuseBadBlockers(write.tx, key, input.blocked_by);
    const row = await updateTaskRow(write.tx, key, { ...toUpdate(input), ...assigned });
    const isCancelled = input.state !== undefined;
    const claims = isCancelled ? await deleteTaskClaims(write.tx, before) : [];
    const isNowReady = before.waitsFor.length > 0 && row.waitsFor.length === 0 && row.state === "open";
    const { text, check, reason } = input;
    await announceTask(ctx, write, isCancelled ? { ...row, holderPeerId: before.holderPeerId } : row, {
      change: isCancelled ? "cancelled" : "updated",
      text,
      blocked_by: input.blocked_by && row.blockedBy,
      labels: input.labels && row.labels,
      links: input.links && row.links,
      files: input.files && row.files,
      check,
      reason,
      ...(check && row.state === "in_review" && (await findReviewers(ctx, write, row))),
      ...(input.assignee !== undefined && { assignee: row.assignee }),
      concerns: row.waitsFor.length === 0 && !isCancelled ? ["holder", "assignee"] : ["holder"],
    });
    await announceFileClaims(ctx, write, claims, "released");
    if (isCancelled) await announceReady(ctx, write, key);
    else if (isNowReady) await announceTask(ctx, write, row, { change: "ready", concerns: [] });
    return toTask(row, ctx);
  });
}

/** Refuses changes to a claimed task by anyone except its holder, its creator or a human. */
function refuseOthers(ctx: TeamContext<TaskServices>, row: TaskRow, fence: number | undefined): void {
  if (row.state === "done" || row.state === "cancelled") throw notHeld(row);
  if (row.state === "open" || isHuman(ctx) || row.createdByPeerId === ctx.team.peer.peerId) return;
  refuseNonHolder(ctx, row, fence);
}

function filesAreFixed(row: TaskRow): MerkleError {
  return new MerkleError(
    "conflict",
    `The files of task ${row.number} cannot change while ${row.holder} holds it. Claim more files with claim, or release the task first. Nothing was changed.`,
    toErrorDetails(row),
  );
}

function toUpdate({
  title,
  text,
  blocked_by,
  labels,
  links,
  files,
  check,
  state,
}: UpdateTaskInput): TaskUpdate {
  const change: TaskUpdate = {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(blocked_by && { blockedBy: removeDuplicates(blocked_by) }),
    ...(labels && { labels: removeDuplicates(labels) }),
    ...(links && { links }),
    ...(files && { files: removeDuplicates(files) }),
    ...(check !== undefined && { check }),
  };
  return state === undefined ? change : { ...change, state, ...noHolder, handedBackAt: null };
}
