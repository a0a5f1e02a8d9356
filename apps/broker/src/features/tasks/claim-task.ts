import {
  claimTaskRow,
  deleteTaskClaims,
  lockNextTask,
  lockSession,
  noHolder,
  type TaskRow,
  type Transaction,
  updateTaskRow,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
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
import { announceFileClaims, claimFiles, filesAreClaimed, findFileConflicts } from "./task-files.js";
import { readThread } from "./task-thread.js";

/**
 * Claims a task with its files, or the next ready task. If several callers compete, exactly one gets the task
 * (TASK-3). A task that the caller already holds is returned again without an event.
 *
 * @throws conflict, with the task's holder, the tasks that block it, or the claims on its files
 */
export async function claimTask(
  ctx: TeamContext<TaskServices>,
  input: ParsedInputOf<"claim_task">,
): Promise<OutputOf<"claim_task">> {
  const { sessionId } = ctx.session;
  const repository = input.repository ?? null;
  const { task } = await ctx.write(async (write) => {
    const { tx } = write;
    await lockSession(tx, sessionId);
    const number = input.task ?? (await findNextTask(ctx, tx, input.label, repository));
    if (number === null) return { task: null };
    const row = await claimTaskRow(tx, { sessionId, number }, toClaimer(ctx));
    if (!row) return { task: toTask(requireOwn(ctx, await requireTask(tx, ctx, number)), ctx) };
    const claims = await claimFiles(ctx, tx, row, repository);
    await announceTask(ctx, write, row, { change: "claimed", fence: row.fence, concerns: [] });
    await announceFileClaims(ctx, write, claims, "claimed");
    return { task: toTask(row, ctx) };
  });
  return { task, thread: task === null ? [] : await readThread(ctx, task) };
}

/**
 * Finds the next ready task for the caller. Passes over tasks with files that another peer has claimed.
 *
 * @throws conflict if only such tasks are ready, with the claims on the files of the first one
 */
async function findNextTask(
  ctx: TeamContext<TaskServices>,
  tx: Transaction,
  label: string | undefined,
  repository: string | null,
): Promise<number | null> {
  const passedOver: number[] = [];
  let conflict: MerkleError | null = null;
  while (passedOver.length < limits.tasksPassedOverMax) {
    const next = await lockNextTask(tx, ctx.session.sessionId, toClaimer(ctx), { label, except: passedOver });
    if (!next) break;
    const conflicts = await findFileConflicts(ctx, tx, next, repository);
    if (conflicts.length === 0) return next.number;
    conflict ??= filesAreClaimed(ctx, next.number, conflicts);
    passedOver.push(next.number);
  }
  if (conflict) throw conflict;
  return null;
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
    const claims = await deleteTaskClaims(write.tx, before);
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
    await announceFileClaims(ctx, write, claims, "released");
    return toTask(row, ctx);
  });
}
