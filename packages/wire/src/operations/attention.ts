import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  inSession,
  instantOf,
  lineOfChars,
  retryable,
  Sequence,
  StorableText,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { formatMessageTime } from "../feed/compact.js";
import { formatInlineAddress, formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

const ItemId = lineOfChars(limits.attentionIdCharsMax)
  .refine((id) => /^[a-z_]+:(?:[0-9a-f-]{36}|file):[0-9a-f:-]+$/.test(id), {
    error: "must be the id of an item of list_attention",
  })
  .meta({ description: "The item's id." });

const described = z.object({
  id: z.string(),
  kind: z.enum([
    "blocked",
    "ask",
    "approval",
    "proposal",
    "in_review",
    "held",
    "budget_spent",
    "job_failed",
    "handed_back",
    "undelivered",
    "budget_near",
    "quota_near",
    "quiet",
  ]),
  session_id: Uuid,
  session: z.string().meta({ description: "Its slug." }),
  session_title: z.string(),
  source_path: z.null(),
  since: Timestamp,
  sequence: Sequence.nullable().meta({
    description:
      "Number of the ask, also of the one that a blocked peer has posted, or of the first undelivered message.",
  }),
  number: z.int().nullable().meta({
    description:
      "Number in the mesh of an approval, proposal or job; number in the session of a task; count of undelivered messages.",
  }),
  team: z.string().nullable().meta({
    description:
      "Who asks, proposes, finished or lost a task, is blocked or holds; null if unknown or an agent.",
  }),
  peer: z.string().nullable(),
  text: z.string().meta({
    description:
      "The question, reason, task, returned scope, change of a proposal or error of a job, cut at 500 characters; can be empty.",
  }),
  options: z.array(z.string()).meta({ description: "Answers offered by an ask." }),
  blocked_reason: z.string().nullable().meta({
    description:
      "Why a peer is blocked, if it also asks: `text`, `sequence` and `options` are then of its question (ATT-4). Otherwise null.",
  }),
  needs_person: z
    .boolean()
    .meta({ description: "Whether only a person can settle it, and agents cannot (ATT-17)." }),
  unanswered: z.boolean().meta({
    description:
      "Whether an ask, approval, proposal or task in review has had no reply for the broker's `unanswered_after_s`.",
  }),
  dismissed: z
    .boolean()
    .meta({ description: "Snoozed or dismissed by the caller; only included on request." }),
  snoozed_until: Timestamp.nullable(),
});

/** The kinds of items that wait for a human, in order of urgency: the kinds that stop an agent come first. */
export const AttentionKind = described.shape.kind;

/**
 * The kinds of items that a person can be alerted to: everything that waits for a human, and the conclusion
 * of a session.
 */
export const AlertKind = z.enum([...AttentionKind.options, "concluded"]).meta({ id: "AlertKind" });
export type AlertKind = z.output<typeof AlertKind>;

const AttentionItemOfSession = described
  .extend({ kind: described.shape.kind.exclude(["quota_near"]) })
  .meta({ id: "AttentionItemOfSession" });

const AttentionItemOfFile = described
  .extend({
    kind: described.shape.kind.extract(["proposal", "job_failed"]),
    session_id: z.null(),
    session: z.null(),
    session_title: z.null(),
    source_path: z.string().meta({ description: "The file: its root, a slash and its path." }),
  })
  .meta({ id: "AttentionItemOfFile" });

const AttentionItemOfMesh = described
  .extend({
    kind: described.shape.kind.extract(["quota_near"]),
    session_id: z.null(),
    session: z.null(),
    session_title: z.null(),
  })
  .meta({ id: "AttentionItemOfMesh" });

/**
 * An item that waits for a human (ATT-1). It concerns a session, a file or the whole mesh. The broker
 * computes items from the current state, so an item disappears when its cause does, and not when someone has
 * seen it. `id` identifies the cause. If the same thing happens again, the new item has a new id.
 */
export const AttentionItem = z
  .union([AttentionItemOfSession, AttentionItemOfFile, AttentionItemOfMesh])
  .meta({ id: "AttentionItem" });

export type AttentionItem = z.output<typeof AttentionItem>;

export const listAttention = operation("list_attention", {
  summary:
    "List what needs a human: blocked peers, unanswered asks, approvals, open proposals, tasks in review, held, spent and quiet sessions, failed jobs, returned tasks, undelivered messages.",
  unlisted: true,
  input: z.strictObject({
    session: StorableText.min(1)
      .max(100)
      .optional()
      .meta({ description: "Only items of this session, by id or slug; leaves out files." }),
    include_dismissed: z.boolean().default(false),
    ...asTeam,
  }),
  output: z.object({
    items: z.array(AttentionItem).meta({
      description:
        "Blocked peers, asks, approvals, proposals, tasks in review, held, spent, failed jobs, returned tasks, undelivered, nearly spent, quiet; oldest first within each.",
    }),
    total: z.int().meta({ description: "Total number; a reply contains the first 200." }),
    needs_person: z.int().meta({ description: "How many of them only a person can settle." }),
    kinds: z
      .array(z.object({ kind: described.shape.kind, count: z.int() }))
      .meta({ description: "How many there are of each kind, in the same order." }),
    dismissed: z.int().meta({ description: "How many more the caller has snoozed or dismissed." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ items }) =>
    joinLines(
      ...items.map(
        (item) =>
          `${item.kind} ${item.session ?? item.source_path ?? "the mesh"}${item.sequence === null ? "" : ` #${item.sequence}`}${item.number === null ? "" : ` ${item.number}`} since ${formatMessageTime(item.since)}${
            item.team === null
              ? ""
              : ` ${item.peer === null ? formatInlineName(item.team) : formatInlineAddress(item.team, item.peer)}`
          }${item.unanswered ? ", unanswered" : ""}${item.text === "" ? "" : `: ${item.text}`}`,
      ),
      items.length === 0 && "nothing needs a human",
    ),
});

export const dismissAttention = operation("dismiss_attention", {
  summary: "Snooze or dismiss items of list_attention for yourself; others still see them.",
  unlisted: true,
  input: z
    .strictObject({
      id: ItemId,
      others: z
        .array(ItemId)
        .max(limits.attentionItemsMax - 1)
        .optional()
        .meta({ description: "More items to treat the same way." }),
      until: instantOf("from")
        .optional()
        .meta({ description: "Snooze until this time (default: dismissed)." }),
      undo: z.boolean().default(false).meta({ description: "Restore it now." }),
      ...asTeam,
      ...retryable,
    })
    .refine((input) => !(input.undo && input.until !== undefined), {
      error: "give until to snooze, or undo to restore, not both",
    }),
  output: z.object({ id: z.string(), dismissed: z.boolean(), snoozed_until: Timestamp.nullable() }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ dismissed, snoozed_until }) =>
    snoozed_until
      ? `snoozed until ${formatMessageTime(snoozed_until)}`
      : dismissed
        ? "dismissed"
        : "back on the list",
});

export const markRead = operation("mark_read", {
  summary: "Save how far a person has read; updates all their browsers. Agents use ack.",
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    cursor: Sequence.optional().meta({ description: "The last message read (default: all)." }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    last_read: Sequence,
    unread: z.int().meta({ description: "Messages of others after it that count as unread (READ-2)." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ last_read, unread }) => `read up to ${last_read}, ${unread} unread`,
});
