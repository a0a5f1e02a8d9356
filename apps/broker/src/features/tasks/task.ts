import { listTaskReaders, lockTask, type TaskClaimer, type TaskRow, type Transaction } from "@merkle/db";
import { MerkleError, type SystemEvent, type Task, type TaskState } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { fold } from "../../feed/recipients.js";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import type { TaskServices } from "./services.js";

/** Converts a task to its public form. */
export function toTask(
  row: TaskRow,
  { team, services }: Pick<SessionContext<TaskServices>, "team" | "services">,
): Task {
  const { waitsFor, blockedBy, sessionId, claimedAt, handedBackAt } = row;
  return {
    task: row.number,
    session_id: sessionId,
    title: row.title,
    text: row.text,
    state: toTaskState(row),
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
    files: [...row.files],
    check: row.check,
    result: row.result,
    proof: row.proof,
    to_review: row.state === "in_review" && team !== null && isReviewer(row, team),
    unanswered: row.state === "in_review" && row.updatedAt < computeUnansweredCutoff(services),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Returns the state of a task. "blocked" is derived from other tasks and never stored (TASK-2). */
export function toTaskState({ state, waitsFor }: Pick<TaskRow, "state" | "waitsFor">): TaskState {
  return state === "open" && waitsFor.length > 0 ? "blocked" : state;
}

/** Returns the caller in the form stored with a claimed task. */
export function toClaimer({ team }: TeamContext<TaskServices>): TaskClaimer {
  return { teamId: team.teamId, peerId: team.peer.peerId, name: formatAuthorName(team) };
}

/**
 * Locks a task and returns it.
 *
 * @throws not_found if the session has no such task
 */
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

/**
 * Returns whether the caller is a verified human. Only a verified human may make decisions about other peers'
 * work.
 */
export function isHuman({ team }: TeamContext<TaskServices>): boolean {
  return team.kind === "human";
}

/** A peer with its team, as far as a reviewer's name can refer to it. */
type ReviewerIdentity = Parameters<typeof formatAuthorName>[0] & {
  readonly peer: { readonly peerId: string };
};

/** Returns whether the task's check names this peer or its team as the reviewer. The peer that did the work is never one. */
export function isReviewer(
  { check, holderPeerId }: Pick<TaskRow, "check" | "holderPeerId">,
  identity: ReviewerIdentity,
): boolean {
  const { name, peer } = identity;
  if (check === null || !("reviewer" in check) || holderPeerId === peer.peerId) return false;
  return [name, peer.name ?? "", formatAuthorName(identity)].map(fold).includes(fold(check.reviewer));
}

/**
 * Refuses a caller that is not the task's holder, or whose claim has been replaced since (TASK-5).
 *
 * @throws conflict, with the task's state
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

export function notHeld(row: TaskRow, why = describeTaskStatus(row)): MerkleError {
  return new MerkleError(
    "conflict",
    `Task ${row.number} is not yours: ${why}. Nothing was changed.`,
    toErrorDetails(row),
  );
}

/** Describes the state of a task for an error, for example `Birch/oak has held it since …`. */
export function describeTaskStatus(row: TaskRow): string {
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

export function toErrorDetails(row: TaskRow): Record<string, unknown> {
  return {
    task: row.number,
    state: toTaskState(row),
    holder: row.holder,
    fence: row.fence,
    waits_for: [...row.waitsFor],
  };
}

type TaskChangedEvent = Extract<SystemEvent, { event: "task_changed" }>;
type TaskEventFields = Omit<TaskChangedEvent, "event" | "task" | "title" | "by" | "at">;

/**
 * Posts the event for a change to a task, and notifies the peers that the change concerns. Other peers see
 * the change when they list tasks (TASK-10).
 */
export async function announceTask(
  ctx: TeamContext<TaskServices>,
  { tx, announce, afterCommit }: Write,
  row: TaskRow,
  update: TaskEventFields & {
    readonly concerns: readonly TaskRole[];
    /** Ids of other peers that the change concerns. */
    readonly peerIds?: readonly string[];
    /** `low` for a change that can wait for the next nudge (DELIVER-4). */
    readonly priority?: "low" | undefined;
  },
): Promise<void> {
  const { services, session, team } = ctx;
  const { concerns, peerIds = [], priority, ...fields } = update;
  const reaches = new Set([...(await listConcernedPeers(tx, row, concerns)), ...peerIds]);
  reaches.delete(team.peer.peerId);
  const { sequence } = await announce(session.sessionId, toTaskEvent(row, formatAuthorName(team), fields), {
    causedBy: team.peer.peerId,
    reaches: [...reaches],
    priority,
  });
  afterCommit(() => services.channels.announceChange(session.sessionId, "tasks", sequence));
}

/**
 * Builds the event for a change to a task. The event has the time stored in the row, so that an import can
 * rebuild the row. A "ready" event changes no row, so it has the current time.
 */
export function toTaskEvent(row: TaskRow, by: string, fields: TaskEventFields): TaskChangedEvent {
  const { number: task, title, updatedAt } = row;
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    event: "task_changed",
    task,
    title,
    by,
    ...(Object.fromEntries(definedFields) as TaskEventFields),
    at: (fields.change === "ready" ? new Date() : updatedAt).toISOString(),
  };
}

/** The peers that a change concerns, by their relation to the task. */
export type TaskRole = "assignee" | "holder" | "creator";

export async function listConcernedPeers(
  tx: Transaction,
  row: TaskRow,
  concerns: readonly TaskRole[],
): Promise<string[]> {
  const { assigneeTeamId, assigneePeerId, holderPeerId, createdByPeerId, sessionId } = row;
  const isForAssignee = concerns.includes("assignee");
  const peerIds = [
    isForAssignee && assigneePeerId,
    concerns.includes("holder") && holderPeerId,
    concerns.includes("creator") && createdByPeerId,
  ].flatMap((each) => each || []);
  const teamIds = isForAssignee && assigneeTeamId !== null && assigneePeerId === null ? [assigneeTeamId] : [];
  return listTaskReaders(tx, sessionId, { teamIds, peerIds });
}
