import {
  type ImportedClaimRow,
  type ImportedTaskRow,
  listClaimRows,
  listImportedPeers,
  listImportedTaskEvents,
  noHolder,
  putImportedTasks,
  readImportedTasks,
  redactTaskTexts,
  replaceImportedClaims,
  type Transaction,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { Task, TaskChange, TaskNumber, Timestamp } from "@merkle/wire/schemas";
import * as z from "zod";
import { deriveId } from "../../core/message.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import type { ImportHook } from "../../views/hooks.js";

const Name = z.string().min(1).max(500);
const common = { by: Name, holder: Name.optional(), at: Timestamp };

const RecordedTaskEvent = z.object({
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
  files: Task.shape.files.optional(),
  check: Task.shape.check.optional(),
  fence: TaskNumber.optional(),
  result: z.string().optional(),
  proof: Task.shape.proof.optional(),
});

const RecordedClaimEvent = z.object({
  event: z.literal("claim_changed"),
  ...common,
  claim: TaskNumber,
  scope: z.string().min(1).max(limits.scopeCharsMax),
  shared: z.boolean(),
  change: z.enum(["claimed", "released", "expired", "handed_back"]),
  reason: z.string().optional(),
  expires_at: Timestamp.optional(),
});

const Event = z.discriminatedUnion("event", [RecordedTaskEvent, RecordedClaimEvent]);
type RecordedTaskEvent = z.output<typeof RecordedTaskEvent>;
type RecordedClaimEvent = z.output<typeof RecordedClaimEvent>;

/** Number of events read per page. */
const eventsPerPage = 500;

/** Imports tasks and claims with the record of their session. */
export const importTasks: ImportHook = { store: storeTasks, forgetEvent: forgetTask };

/**
 * Rebuilds an imported session's tasks and claims from the events in its feed, in order. The result is
 * therefore as well proven as the feed itself (IMPORT-9). Redacted and invalid events are skipped.
 */
async function storeTasks(
  tx: Transaction,
  { sessionId, after: start }: { readonly sessionId: string; readonly after: number },
): Promise<void> {
  const peers = new Map(
    (await listImportedPeers(tx, sessionId)).map(({ team, kind, name, peerId }) => [
      formatAuthorName({ name: team, kind, peer: { name } }),
      peerId,
    ]),
  );
  const claims = new Map((await listClaimRows(tx, sessionId)).map((claim) => [claim.number, claim]));
  for (let after = start; ; ) {
    const page = await listImportedTaskEvents(tx, sessionId, { after, limit: eventsPerPage });
    const events = page.flatMap(({ content }) => Event.safeParse(JSON.parse(content)).data ?? []);
    const numbers = events.flatMap((each) => (each.event === "task_changed" ? each.task : []));
    const tasks = new Map(
      (await readImportedTasks(tx, sessionId, numbers)).map((task) => [task.number, task]),
    );
    for (const event of events) {
      if (event.event === "claim_changed") applyToClaims(claims, event, { sessionId, peers });
      else
        tasks.set(event.task, changeTask(tasks.get(event.task) ?? toNewTask(sessionId, event), event, peers));
    }
    await putImportedTasks(tx, [...tasks.values()]);
    const last = page.at(-1);
    if (!last || page.length < eventsPerPage) break;
    after = last.sequence;
  }
  await replaceImportedClaims(tx, sessionId, [...claims.values()]);
}

/** The ids of peers, by the names that the events use. */
type Peers = ReadonlyMap<string, string>;

function toNewTask(sessionId: string, { task, title, by, at }: RecordedTaskEvent): ImportedTaskRow {
  const createdAt = new Date(at);
  return {
    ...{ sessionId, number: task, title, text: "", state: "open", ...noHolder, fence: 0 },
    ...{ blockedBy: [], labels: [], links: [], files: [], check: null, result: null, proof: null },
    ...{ assignee: null, assigneeTeamId: null, assigneePeerId: null, handedBackAt: null },
    ...{ createdBy: by, createdByPeerId: deriveId(["imported peer", by]), createdAt, updatedAt: createdAt },
  };
}

function changeTask(task: ImportedTaskRow, event: RecordedTaskEvent, peers: Peers): ImportedTaskRow {
  const { title, text, assignee, blocked_by: blockedBy, labels, links, files, check, change } = event;
  return {
    ...task,
    title,
    ...(text !== undefined && { text }),
    ...(blockedBy && { blockedBy }),
    ...(labels && { labels }),
    ...(links && { links }),
    ...(files && { files }),
    ...(check !== undefined && { check }),
    // The assignee is not a peer of this session, so only the name is known.
    ...(assignee !== undefined && {
      assignee,
      assigneeTeamId: assignee === null ? null : deriveId(["imported assignee", assignee]),
    }),
    ...(change !== "ready" && { updatedAt: new Date(event.at) }),
    ...moveTask(task, event, peers),
  };
}

function moveTask(task: ImportedTaskRow, event: RecordedTaskEvent, peers: Peers): Partial<ImportedTaskRow> {
  const { change, by, holder, fence = 0, result, proof } = event;
  const at = new Date(event.at);
  switch (change) {
    case "claimed": {
      const holderPeerId = peers.get(by);
      // A peer that the roster does not list cannot be shown as the holder.
      if (holderPeerId === undefined) return { fence };
      const claimFields = { holder: by, holderPeerId, claimedAt: at, renewedAt: at };
      return { state: "claimed", fence, ...claimFields, handedBackAt: null };
    }
    case "released":
      return { state: "open", ...noHolder, proof: null };
    case "handed_back":
      return { state: "open", ...noHolder, handedBackAt: at };
    case "in_review":
    case "done":
      if (change === "in_review" && task.holder === null) return {};
      return { state: change, ...(result !== undefined && { result }), ...(proof && { proof }) };
    case "cancelled":
      return { state: "cancelled", ...noHolder, handedBackAt: null };
    case "updated":
      // When a claimed task is split, the event names the former holder, whose claim ends with the split.
      return holder === undefined ? {} : { state: "open", ...noHolder };
    default:
      return {};
  }
}

function applyToClaims(
  claims: Map<number, ImportedClaimRow>,
  { claim: number, scope, shared, change, by, reason, expires_at, at }: RecordedClaimEvent,
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
    // The feed does not mention the repository, so that its readers cannot test guesses at the repository's
    // address.
    repository: null,
    shared,
    reason: reason ?? null,
    holder: by,
    peerId,
    ...times,
    expiresAt,
  });
}

/**
 * Removes an event's text from the task that was rebuilt from the event. Call before the event's own text is
 * removed.
 */
async function forgetTask(tx: Transaction, sessionId: string, sequence: number): Promise<void> {
  const [row] = await listImportedTaskEvents(tx, sessionId, { after: sequence - 1, limit: 1 });
  if (row?.sequence !== sequence) return;
  const event = RecordedTaskEvent.safeParse(JSON.parse(row.content)).data;
  if (event) await redactTaskTexts(tx, { sessionId, number: event.task }, event);
}
