import {
  forgetTaskTexts,
  type ImportedClaimRow,
  type ImportedSessionRow,
  type ImportedTaskRow,
  listClaimRows,
  listImportedPeers,
  listImportedTaskEvents,
  putImportedTasks,
  readImportedTasks,
  replaceImportedClaims,
  type Transaction,
  unheld,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { Task, TaskChange, TaskNumber, Timestamp } from "@merkle/wire/schemas";
import * as z from "zod";
import { idFrom } from "../../core/message.js";
import { authorName } from "../../sessions/roster/author.js";

const Name = z.string().min(1).max(500);
const common = { by: Name, holder: Name.optional(), at: Timestamp };

const TaskEvent = z.object({
  event: z.literal("task_changed"),
  ...common,
  task: TaskNumber,
  title: z.string().min(1).max(limits.titleCharsMax),
  change: TaskChange,
  text: z.string().optional(),
  assignee: Name.nullish(),
  blocked_by: z.array(TaskNumber).max(limits.taskBlockersMax).optional(),
  labels: Task.shape.labels.optional(),
  links: Task.shape.links.optional(),
  check: Task.shape.check.optional(),
  fence: TaskNumber.optional(),
  result: z.string().optional(),
  proof: Task.shape.proof.optional(),
});

const ClaimEvent = z.object({
  event: z.literal("claim_changed"),
  ...common,
  claim: TaskNumber,
  scope: z.string().min(1).max(limits.scopeCharsMax),
  shared: z.boolean(),
  change: z.enum(["claimed", "released", "expired", "handed_back"]),
  reason: z.string().optional(),
  expires_at: Timestamp.optional(),
});

const Event = z.discriminatedUnion("event", [TaskEvent, ClaimEvent]);
type TaskEvent = z.output<typeof TaskEvent>;
type ClaimEvent = z.output<typeof ClaimEvent>;

/** So many events are read at a time. */
const eventsPerPage = 500;

/**
 * Makes the tasks and claims of an imported session again from the events that its feed brought, in the order in which they
 * were: so they are as well proved as the feed (IMPORT-9). An event that was removed, or is none that could be ours, changes nothing.
 */
export async function storeTasks(
  tx: Transaction,
  { sessionId, size }: Pick<ImportedSessionRow, "sessionId" | "size">,
): Promise<void> {
  const peers = new Map(
    (await listImportedPeers(tx, sessionId)).map(({ team, kind, name, peerId }) => [
      authorName({ name: team, kind, peer: { name } }),
      peerId,
    ]),
  );
  const claims = new Map((await listClaimRows(tx, sessionId)).map((claim) => [claim.number, claim]));
  for (let after = size; ; ) {
    const page = await listImportedTaskEvents(tx, sessionId, { after, limit: eventsPerPage });
    const events = page.flatMap(({ content }) => Event.safeParse(JSON.parse(content)).data ?? []);
    const numbers = events.flatMap((each) => (each.event === "task_changed" ? each.task : []));
    const tasks = new Map(
      (await readImportedTasks(tx, sessionId, numbers)).map((task) => [task.number, task]),
    );
    for (const event of events) {
      if (event.event === "claim_changed") applyToClaims(claims, event, { sessionId, peers });
      else
        tasks.set(event.task, changeTask(tasks.get(event.task) ?? newTask(sessionId, event), event, peers));
    }
    await putImportedTasks(tx, [...tasks.values()]);
    const last = page.at(-1);
    if (!last || page.length < eventsPerPage) break;
    after = last.sequence;
  }
  await replaceImportedClaims(tx, sessionId, [...claims.values()]);
}

/** The ids of peers by the names that events call them by. */
type Peers = ReadonlyMap<string, string>;

function newTask(sessionId: string, { task, title, by, at }: TaskEvent): ImportedTaskRow {
  const createdAt = new Date(at);
  return {
    ...{ sessionId, number: task, title, text: "", state: "open", ...unheld, fence: 0 },
    ...{ blockedBy: [], labels: [], links: [], check: null, result: null, proof: null },
    ...{ assignee: null, assigneeTeamId: null, assigneePeerId: null, handedBackAt: null },
    ...{ createdBy: by, createdByPeerId: idFrom(["imported peer", by]), createdAt, updatedAt: createdAt },
  };
}

function changeTask(task: ImportedTaskRow, event: TaskEvent, peers: Peers): ImportedTaskRow {
  const { title, text, assignee, blocked_by: blockedBy, labels, links, check, change } = event;
  return {
    ...task,
    title,
    ...(text !== undefined && { text }),
    ...(blockedBy && { blockedBy }),
    ...(labels && { labels }),
    ...(links && { links }),
    ...(check !== undefined && { check }),
    // Nobody can be it here: the name alone is known, and shown.
    ...(assignee !== undefined && {
      assignee,
      assigneeTeamId: assignee === null ? null : idFrom(["imported assignee", assignee]),
    }),
    ...(change !== "ready" && { updatedAt: new Date(event.at) }),
    ...moveTask(task, event, peers),
  };
}

function moveTask(task: ImportedTaskRow, event: TaskEvent, peers: Peers): Partial<ImportedTaskRow> {
  const { change, by, holder, fence = 0, result, proof } = event;
  const at = new Date(event.at);
  switch (change) {
    case "claimed": {
      const holderPeerId = peers.get(by);
      // Somebody whom the roster does not name cannot be shown to hold it.
      if (holderPeerId === undefined) return { fence };
      const held = { holder: by, holderPeerId, claimedAt: at, renewedAt: at };
      return { state: "claimed", fence, ...held, handedBackAt: null };
    }
    case "released":
      return { state: "open", ...unheld, proof: null };
    case "handed_back":
      return { state: "open", ...unheld, handedBackAt: at };
    case "in_review":
    case "done":
      if (change === "in_review" && task.holder === null) return {};
      return { state: change, ...(result !== undefined && { result }), ...(proof && { proof }) };
    case "cancelled":
      return { state: "cancelled", ...unheld, handedBackAt: null };
    case "updated":
      // Of a split the holder is told, who gives the whole back by it.
      return holder === undefined ? {} : { state: "open", ...unheld };
    default:
      return {};
  }
}

function applyToClaims(
  claims: Map<number, ImportedClaimRow>,
  { claim: number, scope, shared, change, by, reason, expires_at, at }: ClaimEvent,
  { sessionId, peers }: { readonly sessionId: string; readonly peers: Peers },
): void {
  const peerId = peers.get(by);
  if (change !== "claimed" || peerId === undefined) return void claims.delete(number);
  for (const each of claims.values())
    if (each.peerId === peerId && each.scope === scope) claims.delete(each.number);
  const times = { claimedAt: new Date(at), renewedAt: new Date(at), handedBackAt: null };
  const expiresAt = expires_at === undefined ? null : new Date(expires_at);
  claims.set(number, {
    sessionId,
    number,
    scope,
    // The feed does not say it, so that nobody who reads a record can try addresses on it.
    repository: null,
    shared,
    reason: reason ?? null,
    holder: by,
    peerId,
    ...times,
    expiresAt,
  });
}

/** Takes the texts of a task's event out of what was made from it, before the event's own are removed. */
export async function forgetTask(tx: Transaction, sessionId: string, sequence: number): Promise<void> {
  const [row] = await listImportedTaskEvents(tx, sessionId, { after: sequence - 1, limit: 1 });
  if (row?.sequence !== sequence) return;
  const event = TaskEvent.safeParse(JSON.parse(row.content)).data;
  if (event) await forgetTaskTexts(tx, { sessionId, number: event.task }, event);
}
