import {
  deleteTaskClaims,
  hasOthersAtWork,
  listPeers,
  listReadyAfter,
  lockFeed,
  type TaskKey,
  type TaskRow,
  updateTaskRow,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import { filterPresentPeers } from "../../sessions/roster/known-peers.js";
import type { TaskServices } from "./services.js";
import {
  announceTask,
  describeTaskStatus,
  isHuman,
  isReviewer,
  refuseNonHolder,
  requireTask,
  toErrorDetails,
  toTask,
} from "./task.js";
import { announceFileClaims } from "./task-files.js";

/**
 * Records the result of a task, releases its files and notifies its creator. The task is then done, unless its check is not yet proved. A task with such a
 * check is in review until its holder reports the proof or a reviewer finishes it (TASK-8). Tasks that waited
 * only for this task become ready (TASK-4).
 *
 * @throws conflict if the caller does not hold the task, or if the task still waits for other tasks
 */
export async function finishTask(
  ctx: TeamContext<TaskServices>,
  input: ParsedInputOf<"finish_task">,
): Promise<OutputOf<"finish_task">> {
  const key = { sessionId: ctx.session.sessionId, number: input.task };
  return ctx.write(async (write) => {
    const before = await requireTask(write.tx, ctx, input.task);
    if (before.state === "done" || before.state === "cancelled") throw alreadyFinished(before);
    const canAccept = before.state === "in_review" && mayReview(ctx, before);
    if (!canAccept && !isHuman(ctx)) refuseNonHolder(ctx, before, input.fence);
    if (before.waitsFor.length > 0) throw stillWaits(before);
    const isDone = canAccept || isHuman(ctx) || isProved(before, input.proof);
    const change = isDone ? ("done" as const) : ("in_review" as const);
    const row = await updateTaskRow(write.tx, key, {
      state: change,
      ...(input.result !== "" && { result: input.result }),
      ...(input.proof && { proof: input.proof }),
    });
    const claims = isDone ? await deleteTaskClaims(write.tx, before) : [];
    const ready = isDone ? await listNowReady(write, key) : [];
    const isOwnWork = row.holderPeerId === ctx.team.peer.peerId;
    const canWait = isDone && isOwnWork && ready.length === 0 && (await hasOthersAtWork(write.tx, row));
    const { result, proof } = input;
    await announceTask(ctx, write, row, {
      change,
      result: result === "" ? undefined : result,
      proof,
      ...(row.holder !== null && row.holder !== formatAuthorName(ctx.team) && { holder: row.holder }),
      ...(!isDone && (await findReviewers(ctx, write, row))),
      concerns: ["creator", "holder"],
      priority: canWait ? "low" : undefined,
    });
    await announceFileClaims(ctx, write, claims, "released");
    await announceEachReady(ctx, write, ready);
    return { ...toTask(row, ctx), ready: ready.map(({ number }) => number) };
  });
}

/** Returns the reviewer that a task in review waits for, by name, and the peers that have that name. */
export async function findReviewers(
  { services, session }: TeamContext<TaskServices>,
  { tx }: Write,
  row: TaskRow,
): Promise<{ reviewer?: string; peerIds?: readonly string[] }> {
  if (row.check === null || !("reviewer" in row.check)) return {};
  const peers = filterPresentPeers(await listPeers(tx, services.database.meshId, session.sessionId));
  const reviewers = peers.filter(({ team: name, kind, ...peer }) => isReviewer(row, { name, kind, peer }));
  return { reviewer: row.check.reviewer, peerIds: reviewers.map(({ peerId }) => peerId) };
}

function isProved({ check }: TaskRow, proof: ParsedInputOf<"finish_task">["proof"]): boolean {
  if (check === null) return true;
  return "command" in check && proof?.exit_code === 0;
}

/**
 * Returns whether the caller may accept a task in review: the named reviewer or any verified human, but never
 * the peer that did the work.
 */
export function mayReview({ team }: TeamContext<TaskServices>, row: TaskRow): boolean {
  return team.kind === "human" || isReviewer(row, team);
}

/** Notifies the assignees of tasks that became ready because another task was cancelled. */
export async function announceReady(
  ctx: TeamContext<TaskServices>,
  write: Write,
  key: TaskKey,
): Promise<void> {
  await announceEachReady(ctx, write, await listNowReady(write, key));
}

/**
 * Lists the tasks that became ready because another task was finished or cancelled. Locks the feed, so that of two
 * callers that finish tasks at the same time, the second sees what the first has done.
 */
async function listNowReady({ tx }: Write, key: TaskKey): Promise<readonly TaskRow[]> {
  await lockFeed(tx, key.sessionId);
  return listReadyAfter(tx, key);
}

async function announceEachReady(
  ctx: TeamContext<TaskServices>,
  write: Write,
  ready: readonly TaskRow[],
): Promise<void> {
  for (const row of ready) await announceTask(ctx, write, row, { change: "ready", concerns: ["assignee"] });
}

function alreadyFinished(row: TaskRow): MerkleError {
  return new MerkleError(
    "conflict",
    `Task ${row.number} cannot be finished: ${describeTaskStatus(row)}. Create another task for the remaining work.`,
    toErrorDetails(row),
  );
}

function stillWaits(row: TaskRow): MerkleError {
  return new MerkleError(
    "conflict",
    `Task ${row.number} cannot be finished: it waits for ${row.waitsFor.map((each) => `task ${each}`).join(", ")}. Finish those tasks first, or remove them from the tasks that it waits for.`,
    { ...toErrorDetails(row), next: "update_task" },
  );
}
