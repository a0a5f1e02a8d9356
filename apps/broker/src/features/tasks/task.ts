import { listTaskReaders, lockTask, type TaskClaimer, type TaskRow, type Transaction } from "@merkle/db";
import { MerkleError, type SystemEvent, type Task, type TaskState } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { authorName } from "../../sessions/roster/author.js";
import type { TaskServices } from "./services.js";

/** A task as a caller sees it. */
export function toTask(row: TaskRow, { team }: Pick<SessionContext<TaskServices>, "team">): Task {
  const { waitsFor, blockedBy, sessionId, claimedAt, handedBackAt } = row;
  return {
    task: row.number,
    session_id: sessionId,
    title: row.title,
    text: row.text,
    state: stateOf(row),
    assignee: row.assignee,
    holder: row.holder,
    mine: team !== null && row.holderPeerId === team.peer.peerId,
    claimed_at: claimedAt?.toISOString() ?? null,
    handed_back_at: handedBackAt?.toISOString() ?? null,
    fence: row.fence,
    blocked_by: [...blockedBy],
    waits_for: [...waitsFor],
    labels: [...row.labels],
    links: [...row.links],
    check: row.check,
    result: row.result,
    proof: row.proof,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Whether an open task is blocked follows from the others, and is kept nowhere (TASK-2). */
export function stateOf({ state, waitsFor }: Pick<TaskRow, "state" | "waitsFor">): TaskState {
  return state === "open" && waitsFor.length > 0 ? "blocked" : state;
}

/** Returns the caller as the one who claims a task, as the database and others know it. */
export function claimerOf({ team }: TeamContext<TaskServices>): TaskClaimer {
  return { teamId: team.teamId, peerId: team.peer.peerId, name: authorName(team) };
}

/** @throws not_found */
export async function requireTask(
  tx: Transaction,
  { session }: TeamContext<TaskServices>,
  number: number,
): Promise<TaskRow> {
  const row = await lockTask(tx, { sessionId: session.sessionId, number });
  if (row) return row;
  throw noSuchTask(session.slug, number);
}

export function noSuchTask(slug: string, number: number): MerkleError {
  return new MerkleError("not_found", `The session "${slug}" has no task ${number}.`, { next: "list_tasks" });
}

/** Whether somebody decides about work of others: a verified human, and nobody else. */
export function isHuman({ team }: TeamContext<TaskServices>): boolean {
  return team.kind === "human";
}

/**
 * Refuses whoever is not its holder, or comes by a claim that was handed on since (TASK-5).
 *
 * @throws conflict, with how the task stands
 */
export function refuseNonHolder(
  ctx: TeamContext<TaskServices>,
  row: TaskRow,
  fence: number | undefined,
): void {
  const isHolder = row.holderPeerId === ctx.team.peer.peerId && ["claimed", "in_review"].includes(row.state);
  if (isHolder && (fence === undefined || fence === row.fence)) return;
  throw notHeld(row, isHolder ? `your current claim has the number ${row.fence}, not ${fence}` : undefined);
}

export function notHeld(row: TaskRow, why = howItStands(row)): MerkleError {
  return new MerkleError(
    "conflict",
    `Task ${row.number} is not yours: ${why}. Nothing was changed.`,
    detailsOf(row),
  );
}

/** `Birch/oak has held it since …`, in the words of an error. */
export function howItStands(row: TaskRow): string {
  const { state, holder, claimedAt, handedBackAt, waitsFor, assignee } = row;
  if (state === "claimed") return `${holder} has held it since ${claimedAt?.toISOString()}`;
  if (state === "in_review") return `it is in review, done by ${holder}`;
  if (state !== "open") return `it is ${state}`;
  if (waitsFor.length > 0) return `it waits for ${waitsFor.map((each) => `task ${each}`).join(", ")}`;
  if (assignee !== null) return `it is for ${assignee}`;
  if (handedBackAt)
    return `it was handed back at ${handedBackAt.toISOString()} because its holder was away for too long. Claim it again`;
  return "it is open; claim it first";
}

export function detailsOf(row: TaskRow): Record<string, unknown> {
  return {
    task: row.number,
    state: stateOf(row),
    holder: row.holder,
    fence: row.fence,
    waits_for: [...row.waitsFor],
  };
}

type TaskEvent = Extract<SystemEvent, { event: "task_changed" }>;
type Told = Omit<TaskEvent, "event" | "task" | "title" | "by" | "at">;

/** Tells the feed of a task's change, and those peers whom it concerns: everybody else reads it in the list (TASK-10). */
export async function announceTask(
  ctx: TeamContext<TaskServices>,
  { tx, announce, afterCommit }: Write,
  row: TaskRow,
  told: Told & { readonly concerns: readonly Concerned[] },
): Promise<void> {
  const { services, session, team } = ctx;
  const { concerns, ...fields } = told;
  const reaches = await readConcerned(tx, row, concerns);
  const { sequence } = await announce(session.sessionId, taskEvent(row, authorName(team), fields), {
    causedBy: team.peer.peerId,
    reaches: reaches.filter((each) => each !== team.peer.peerId),
  });
  afterCommit(() => services.channels.announceChange(session.sessionId, "tasks", sequence));
}

/** The time is that of the row, which is made again from it elsewhere; that others are done changes no row. */
export function taskEvent(row: TaskRow, by: string, told: Told): TaskEvent {
  const { number: task, title, updatedAt } = row;
  const given = Object.entries(told).filter(([, value]) => value !== undefined);
  return {
    event: "task_changed",
    task,
    title,
    by,
    ...(Object.fromEntries(given) as Told),
    at: (told.change === "ready" ? new Date() : updatedAt).toISOString(),
  };
}

/** The peers that a change concerns, by what they have to do with the task. */
export type Concerned = "assignee" | "holder" | "creator";

export async function readConcerned(
  tx: Transaction,
  row: TaskRow,
  concerns: readonly Concerned[],
): Promise<string[]> {
  const { assigneeTeamId, assigneePeerId, holderPeerId, createdByPeerId, sessionId } = row;
  const isFor = concerns.includes("assignee");
  const peerIds = [
    isFor && assigneePeerId,
    concerns.includes("holder") && holderPeerId,
    concerns.includes("creator") && createdByPeerId,
  ].flatMap((each) => each || []);
  const teamIds = isFor && assigneeTeamId !== null && assigneePeerId === null ? [assigneeTeamId] : [];
  return listTaskReaders(tx, sessionId, { teamIds, peerIds });
}
