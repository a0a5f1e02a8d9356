import { claimNextTask, claimTaskRow, noHolder, type TaskRow, updateTaskRow } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../../sessions/context.js";
import { mayReview } from "./finish-task.js";
import type { TaskServices } from "./services.js";
import {
  announceTask,
  describeTaskStatus,
  isHuman,
  refuseNonHolder,
  requireTask,
  toClaimer,
  toErrorDetails,
  toTask,
} from "./task.js";

/**
 * Claims a task, or the next ready task. If several callers compete, exactly one gets the task (TASK-3). A
 * task that the caller already holds is returned again without an event.
 *
 * @throws conflict, with the task's holder or the tasks that block it
 */
export async function claimTask(
  ctx: TeamContext<TaskServices>,
  { task, label }: ParsedInputOf<"claim_task">,
): Promise<OutputOf<"claim_task">> {
  const { sessionId } = ctx.session;
  const claimer = toClaimer(ctx);
  return ctx.write(async (write) => {
    const { tx } = write;
    const claimed =
      task === undefined
        ? await claimNextTask(tx, sessionId, claimer, label)
        : await claimTaskRow(tx, { sessionId, number: task }, claimer);
    if (!claimed) {
      if (task === undefined) return { task: null };
      return { task: toTask(requireOwn(ctx, await requireTask(tx, ctx, task)), ctx) };
    }
    await announceTask(ctx, write, claimed, { change: "claimed", fence: claimed.fence, concerns: [] });
    return { task: toTask(claimed, ctx) };
  });
}

function requireOwn(ctx: TeamContext<TaskServices>, row: TaskRow): TaskRow {
  if (row.state === "claimed" && row.holderPeerId === ctx.team.peer.peerId) return row;
  throw new MerkleError(
    "conflict",
    `Task ${row.number} cannot be claimed: ${describeTaskStatus(row)}.`,
    toErrorDetails(row),
  );
}

/**
 * Makes a claimed task available again. A reviewer can return a task in review to its author. A human can
 * do either with any task (TASK-6).
 */
export async function releaseTask(
  ctx: TeamContext<TaskServices>,
  { task, reason, fence }: ParsedInputOf<"release_task">,
): Promise<OutputOf<"release_task">> {
  const { sessionId } = ctx.session;
  return ctx.write(async (write) => {
    const before = await requireTask(write.tx, ctx, task);
    const isHeld = before.state === "claimed" || before.state === "in_review";
    const canDecide = isHeld && (isHuman(ctx) || (before.state === "in_review" && mayReview(ctx, before)));
    if (!canDecide) refuseNonHolder(ctx, before, fence);
    const row = await updateTaskRow(
      write.tx,
      { sessionId, number: task },
      { state: "open", ...noHolder, proof: null },
    );
    const isOthers = before.holderPeerId !== ctx.team.peer.peerId;
    await announceTask(
      ctx,
      write,
      { ...row, holderPeerId: before.holderPeerId },
      {
        change: "released",
        reason,
        ...(isOthers && before.holder !== null && { holder: before.holder }),
        concerns: ["holder", "creator", "assignee"],
      },
    );
    return toTask(row, ctx);
  });
}
