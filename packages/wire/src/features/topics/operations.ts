import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  isOneSource,
  oneSource,
  retryable,
  SessionRef,
  SourceHash,
  SourcePath,
  StorableText,
  Timestamp,
  textOfBytes,
  Uuid,
  Version,
} from "../../core/values.js";
import { formatMessageTime } from "../../feed/compact.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** The reason why a topic was closed. `accepted` means that a proposal made in the topic was accepted. */
export const TopicCloseReason = z.enum(["resolved", "accepted", "withdrawn"]);
export type TopicCloseReason = z.output<typeof TopicCloseReason>;

export const TopicId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .meta({ description: "The topic's number in its mesh." });

export const TopicStatus = z.enum(["open", "closed"]);
export type TopicStatus = z.output<typeof TopicStatus>;

/**
 * How well a passage was found again. `exact`: at its original position, apart from text inserted before it.
 * `moved`: elsewhere in the text. `lost`: not found with certainty.
 */
export const AnchorMatch = z.enum(["exact", "moved", "reworded", "lost"]);
export type AnchorMatch = z.output<typeof AnchorMatch>;

/** The passage that a topic is about, as it was when the topic was opened. */
const Anchor = z
  .object({
    quote: z.string(),
    prefix: z.string().meta({ description: "Text before it, at most 64 characters." }),
    suffix: z.string().meta({ description: "Text after it." }),
    version: Version.nullable().meta({ description: "Version of the document that it was opened on." }),
    hash: z.string().nullable().meta({ description: "Hash of the file that it was opened on." }),
  })
  .meta({ id: "Anchor" });

/** The current position of the passage that a topic is about. */
const AnchorPosition = z
  .object({
    found: AnchorMatch,
    start: z
      .int()
      .nullable()
      .meta({ description: "Where it begins, in UTF-16 units; null when it is lost." }),
    end: z.int().nullable().meta({ description: "End, exclusive." }),
    version: Version.nullable().meta({
      description: "Document version of this position; a newer version has not been checked yet.",
    }),
    hash: z.string().nullable().meta({ description: "File hash of this position." }),
  })
  .meta({ id: "Place" });
export type AnchorPosition = z.output<typeof AnchorPosition>;

export const Topic = z
  .object({
    topic_id: TopicId,
    title: z.string().meta({ description: "The first line of its first message." }),
    status: TopicStatus,
    session_id: Uuid.nullable().meta({ description: "The session whose document it is about." }),
    session: z.string().nullable().meta({ description: "That session's slug." }),
    source_path: z.string().nullable().meta({ description: "The file that it is about, as root/path." }),
    opened_by: z.string(),
    opened_at: Timestamp,
    closed: z.object({ by: z.string(), at: Timestamp, reason: TopicCloseReason }).nullable(),
    anchor: Anchor.nullable().meta({ description: "Null for a topic about all of the text." }),
    place: AnchorPosition.nullable().meta({ description: "Null for a topic about all of the text." }),
    messages_count: z.int(),
  })
  .meta({ id: "Topic" });
export type Topic = z.output<typeof Topic>;

export const TopicMessage = z
  .object({
    sequence: z.int().min(1),
    by: z.string(),
    human: z.boolean(),
    text: z.string(),
    job_id: z.int().nullable().meta({ description: "Job whose agent wrote it." }),
    proposal_id: z.int().nullable().meta({ description: "Proposal that it is about." }),
    at: Timestamp,
  })
  .meta({ id: "TopicMessage" });
export type TopicMessage = z.output<typeof TopicMessage>;

const Comment = textOfBytes(limits.topicMessageBytesMax).refine((text) => text.trim() !== "", {
  error: "must not be blank",
});
const Context = StorableText.max(limits.quoteContextCharsMax);

export const openTopic = operation("open_topic", {
  summary:
    "Comment on a passage of a session's document, or on all of it if you leave out the quote. Others can reply, and a job can rewrite the document for it.",
  unlisted: ["prefix", "suffix", "start", "source_path", "source_sha"],
  input: z
    .strictObject({
      session_id: SessionRef.optional(),
      version: Version.optional().meta({ description: "The version that you have read." }),
      source_path: SourcePath.optional().meta({ description: "A file, instead of a session's document." }),
      source_sha: SourceHash.optional().meta({ description: "For a file: the hash that you have read." }),
      quote: StorableText.min(1)
        .max(limits.quoteCharsMax)
        .refine((text) => text.trim() !== "", { error: "must not be blank" })
        .optional()
        .meta({ description: "The exact passage; it must occur once." }),
      prefix: Context.optional().meta({ description: "Text right before it." }),
      suffix: Context.optional().meta({ description: "Text right after it." }),
      start: z.int().min(0).optional().meta({
        description: "Start in UTF-16 units; required if the passage occurs more than once.",
      }),
      text: Comment,
      ...asTeam,
      ...retryable,
    })
    .refine(isOneSource, oneSource)
    .refine(({ session_id, version }) => (session_id === undefined) === (version === undefined), {
      error: "is required for a session's document, and only there",
      path: ["version"],
    })
    .refine(({ source_path, source_sha }) => (source_path === undefined) === (source_sha === undefined), {
      error: "is required for a file, and only there",
      path: ["source_sha"],
    }),
  output: Topic,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ topic_id }) => `topic ${topic_id} opened`,
});

export const replyToTopic = operation("reply_to_topic", {
  summary: "Reply in a topic, close or reopen it, or both.",
  input: z
    .strictObject({
      topic_id: TopicId,
      text: Comment.optional(),
      close: TopicCloseReason.exclude(["accepted"]).optional().meta({
        description: "resolved: it is done. withdrawn: it was not needed.",
      }),
      reopen: z.boolean().default(false),
      ...asTeam,
      ...retryable,
    })
    .refine(({ text, close, reopen }) => text !== undefined || close !== undefined || reopen, {
      error: "is required without close or reopen",
      path: ["text"],
    })
    .refine(({ close, reopen }) => close === undefined || !reopen, {
      error: "must not be combined with close",
      path: ["reopen"],
    }),
  output: Topic,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ topic_id, status, messages_count }) =>
    `topic ${topic_id} ${status}, ${messages_count} messages`,
});

export const listTopics = operation("list_topics", {
  summary: "List the topics of a session's document with their positions, newest first.",
  unlisted: ["source_path"],
  input: z
    .strictObject({
      session_id: SessionRef.optional(),
      source_path: SourcePath.optional().meta({ description: "A file, instead of a session's document." }),
      status: TopicStatus.optional(),
      before: TopicId.optional().meta({ description: "next_before of the last page." }),
      limit: z.int().min(1).max(limits.topicsPageMax).default(limits.topicsPageDefault),
      ...asTeam,
    })
    .refine(isOneSource, oneSource),
  output: z.object({ topics: z.array(Topic), next_before: TopicId.nullable() }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ topics, next_before }) =>
    joinLines(
      ...topics.map(compactTopic),
      topics.length === 0 && "no topics",
      next_before !== null && `more: before ${next_before}`,
    ),
});

export const getTopic = operation("get_topic", {
  summary: "Read a topic: its passage, current position and messages.",
  input: z.strictObject({
    topic_id: TopicId,
    after: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(0)
      .meta({ description: "next_after of the last page." }),
    ...asTeam,
  }),
  output: Topic.extend({
    messages: z.array(TopicMessage),
    next_after: z.int().nullable().meta({ description: "Null when these are the last." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ messages, next_after, ...topic }) =>
    joinLines(
      compactTopic(topic),
      ...messages.map(({ by, at, text }) => `- ${formatInlineName(by)} ${formatMessageTime(at)}: ${text}`),
      next_after !== null && `more: after ${next_after}`,
    ),
});

function compactTopic({ topic_id, status, title, opened_by, anchor, place, messages_count }: Topic): string {
  const where =
    anchor === null
      ? "all of the text"
      : `${anchor.quote}${place?.found === "exact" ? "" : ` (${place?.found})`}`;
  return `topic ${topic_id} ${status} by ${formatInlineName(opened_by)}: ${title} on ${where}, ${messages_count} messages`;
}
