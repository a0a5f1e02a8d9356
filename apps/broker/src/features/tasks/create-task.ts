import {
  deleteTaskClaims,
  insertTasks,
  lockSession,
  type NewTask,
  noHolder,
  type TaskRow,
  updateTaskRow,
} from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { TeamContext } from "../../sessions/context.js";
import { findAssignee, refuseBadBlockers, refuseCheckOfAgent, refuseTooMany } from "./assign-task.js";
import type { TaskServices } from "./services.js";
import { announceTask, isHuman, notHeld, refuseNonHolder, requireTask, toClaimer, toTask } from "./task.js";
import { announceFileClaims } from "./task-files.js";

/** Adds a task to the session's list. If the task is ready, notifies its assignee (TASK-1). */
export async function createTask(
  ctx: TeamContext<TaskServices>,
  input: ParsedInputOf<"create_task">,
): Promise<OutputOf<"create_task">> {
  const { sessionId } = ctx.session;
  const { title, text, blocked_by, labels, links, files, check } = input;
  refuseCheckOfAgent(ctx, check);
  const assigned = await findAssignee(ctx, input.assignee ?? null);
  return ctx.write(async (write) => {
    await lockSession(write.tx, sessionId);
    await refuseTooMany(write.tx, sessionId, 1);
    // A task that does not exist yet cannot be part of a cycle.
    await refuseBadBlockers(write.tx, { sessionId, number: 0 }, blocked_by);
    const task = {
      title,
      text,
      ...assigned,
      blockedBy: removeDuplicates(blocked_by),
      labels: removeDuplicates(labels),
      links,
      files: removeDuplicates(files),
    };
    const [row] = await insertAndAnnounce(ctx, write, [{ ...task, check: check ?? null }]);
    if (!row) throw new TypeError("A task was not stored.");
    return toTask(row, ctx);
  });
}

/**
 * Splits a task into parts, which then block the original task. If the task was claimed, it is
 * released (TASK-7).
 */
export async function splitTask(
  ctx: TeamContext<TaskServices>,
  input: ParsedInputOf<"split_task">,
): Promise<OutputOf<"split_task">> {
  const { sessionId } = ctx.session;
  const key = { sessionId, number: input.task };
  return ctx.write(async (write) => {
    const { tx } = write;
    await lockSession(tx, sessionId);
    const task = await requireTask(tx, ctx, input.task);
    if (task.state === "claimed" && !isHuman(ctx)) refuseNonHolder(ctx, task, input.fence);
    else if (task.state !== "open" && task.state !== "claimed") throw notHeld(task);
    await refuseTooMany(tx, sessionId, input.parts.length);
    const claims = await deleteTaskClaims(tx, task);
    const { labels } = task;
    const parts = await insertAndAnnounce(
      ctx,
      write,
      input.parts.map(({ title, text }) => ({ title, text, labels })),
    );
    const blockedBy = [...task.blockedBy, ...parts.map(({ number }) => number)];
    const row = await updateTaskRow(tx, key, { blockedBy, state: "open", ...noHolder });
    await announceTask(ctx, write, row, {
      change: "updated",
      blocked_by: blockedBy,
      ...(task.holder !== null && { holder: task.holder }),
      concerns: ["creator"],
    });
    await announceFileClaims(ctx, write, claims, "released");
    return { task: toTask(row, ctx), parts: parts.map((part) => toTask(part, ctx)) };
  });
}

async function insertAndAnnounce(
  ctx: TeamContext<TaskServices>,
  write: Write,
  added: readonly Omit<NewTask, "createdBy" | "createdByPeerId">[],
): Promise<TaskRow[]> {
  const { name: createdBy, peerId: createdByPeerId } = toClaimer(ctx);
  const rows = await insertTasks(
    write.tx,
    ctx.session.sessionId,
    added.map((task) => ({ ...task, createdBy, createdByPeerId })),
  );
  for (const row of rows) {
    await announceTask(ctx, write, row, {
      change: "created",
      ...(row.text !== "" && { text: row.text }),
      ...(row.assignee !== null && { assignee: row.assignee }),
      ...(row.blockedBy.length > 0 && { blocked_by: row.blockedBy }),
      ...(row.labels.length > 0 && { labels: row.labels }),
      ...(row.links.length > 0 && { links: row.links }),
      ...(row.files.length > 0 && { files: row.files }),
      ...(row.check && { check: row.check }),
      concerns: row.waitsFor.length === 0 ? ["assignee"] : [],
    });
  }
  return rows;
}

export function removeDuplicates<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
