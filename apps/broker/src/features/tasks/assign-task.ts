import {
  countUnfinishedTasks,
  findCycle,
  listUnknownTasks,
  type TaskKey,
  type Transaction,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { fold, resolveRecipients } from "../../feed/recipients.js";
import type { TeamContext } from "../../sessions/context.js";
import { readKnownPeers } from "../../sessions/roster/known-peers.js";
import type { TaskServices } from "./services.js";
import { isHuman } from "./task.js";

interface TaskAssignment {
  readonly assignee: string | null;
  readonly assigneeTeamId: string | null;
  readonly assigneePeerId: string | null;
}

/**
 * Finds the team or peer that a task is assigned to, by the rules that apply to message recipients
 * (SEND-2).
 *
 * @throws bad_request for a group, not_found for an unknown team or peer
 */
export async function findAssignee(
  { services, session }: TeamContext<TaskServices>,
  assignee: string | null,
): Promise<TaskAssignment> {
  if (assignee === null) return { assignee: null, assigneeTeamId: null, assigneePeerId: null };
  if (/^[@*]/.test(assignee))
    throw new MerkleError(
      "bad_request",
      `A task can be assigned to a team or a peer, not to ${assignee}. Nothing was done.`,
    );
  const peers = await readKnownPeers(services, session.sessionId);
  // No sender is excluded, so that callers can assign tasks to themselves.
  const { recipients, reaches } = resolveRecipients(peers, [assignee], "");
  const matchingPeers = peers.filter(({ peerId }) => reaches?.includes(peerId));
  const [name = assignee] = recipients;
  const isTeam = matchingPeers.every((peer) => fold(peer.team) === fold(name));
  return {
    assignee: name,
    assigneeTeamId: matchingPeers[0]?.teamId ?? null,
    assigneePeerId: isTeam ? null : (matchingPeers[0]?.peerId ?? null),
  };
}

/**
 * Refuses a check set by an agent, because checks must prove the agents' own work.
 *
 * @throws forbidden
 */
export function refuseCheckOfAgent(ctx: TeamContext<TaskServices>, check: unknown): void {
  if (check === undefined || isHuman(ctx)) return;
  throw new MerkleError(
    "forbidden",
    "Only verified humans can set how a task is checked. Leave the check out and describe it in the task's text.",
  );
}

/**
 * Refuses unknown or circular blockers. The caller must hold the lock on the session, so that changes to
 * tasks and blockers run one after another.
 *
 * @throws bad_request for an unknown task, conflict for a cycle
 */
export async function refuseBadBlockers(
  tx: Transaction,
  { sessionId, number }: TaskKey,
  blockedBy: readonly number[],
): Promise<void> {
  const unknown = await listUnknownTasks(tx, sessionId, blockedBy);
  if (unknown.length > 0)
    throw new MerkleError(
      "bad_request",
      `There is no task ${unknown.join(", ")} to wait for, so nothing was done.`,
      {
        unknown,
      },
    );
  const cycle = await findCycle(tx, { sessionId, number }, blockedBy);
  if (cycle === null) return;
  throw new MerkleError(
    "conflict",
    `Task ${cycle} already waits for task ${number}, so task ${number} cannot wait for task ${cycle}. Nothing was changed.`,
    { circle: cycle },
  );
}

/** @throws conflict if the session would have too many unfinished tasks */
export async function refuseTooMany(tx: Transaction, sessionId: string, added: number): Promise<void> {
  const max = limits.unfinishedTasksPerSessionMax;
  if ((await countUnfinishedTasks(tx, sessionId)) + added <= max) return;
  throw new MerkleError(
    "conflict",
    `A session can have at most ${max} unfinished tasks. Finish or cancel some first.`,
    { tasks_max: max },
  );
}
