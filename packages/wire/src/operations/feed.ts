import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  Epoch,
  inEpoch,
  inSession,
  instantOf,
  lineOfChars,
  retryable,
  Sequence,
  StorableText,
  Version,
} from "../core/values.js";
import { Attachments } from "../feed/attachment.js";
import { formatMessageLines } from "../feed/compact.js";
import { Message, Priority } from "../feed/message.js";
import { OwnSignature } from "../identity/own-signature.js";
import { joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";
import {
  arrival,
  compactDelivered,
  compactPosted,
  MessageText,
  Posted,
  Receipt,
  Recipients,
} from "./messaging.js";

/** The content of a chat message, including its text (SEND-8 to SEND-10). */
export const ChatContent = z.strictObject({
  text: MessageText,
  kind: z.enum(["ask", "decision"]).optional().meta({
    description: "ask: you need an answer; decision: record what was decided.",
  }),
  options: z
    .array(lineOfChars(limits.titleCharsMax))
    .min(2)
    .max(limits.optionsMax)
    .optional()
    .meta({ description: "With ask: the answers to choose from." }),
  answer: StorableText.trim().min(1).max(limits.reasonCharsMax).optional().meta({
    description: "With reply_to: answers that ask; the first answer counts.",
  }),
  attachments: Attachments.optional(),
});

export const postMessage = operation("post_message", {
  summary:
    "Post a message to everyone in the session, or with `to` to some. Put long results into the document.",
  loadedUpfront: true,
  unlisted: ["own"],
  unlistedOverStdio: ["type"],
  textField: "content",
  filesField: "content",
  input: z.strictObject({
    ...inSession,
    content: ChatContent.refine((content) => content.options === undefined || content.kind === "ask", {
      error: 'options belong to kind "ask"',
      path: ["options"],
    }).refine((content) => content.answer === undefined || content.kind !== "ask", {
      error: "an ask cannot also be an answer",
      path: ["answer"],
    }),
    to: Recipients.optional(),
    priority: Priority.default("next").meta({
      description: "now overrides dnd; low wakes no one.",
    }),
    reply_to: Sequence.min(1).optional().meta({
      description: "A message's number; its author gets the reply, unless `to` says otherwise.",
    }),
    type: z
      .literal("chat", { error: 'must be "chat"; system messages are created only by the broker' })
      .default("chat"),
    own: OwnSignature.optional().meta({
      description: "A person's signature of content and reply_to, for the agent that is the only recipient.",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: Posted,
  errors: ["unauthorized", "session_closed", "session_held", "budget_spent", "not_found", "conflict"],
  compact: compactPosted,
});

export const waitForMessages = operation("wait_for_messages", {
  summary:
    "Wait for messages from others. Returns immediately if any are unread, otherwise after at most timeout seconds. Handle every message, and stop once the session is closed.",
  loadedUpfront: true,
  unlisted: ["receipt"],
  unlistedOverStdio: ["since_cursor", "include_own"],
  input: z
    .strictObject({
      ...inSession,
      since_cursor: Sequence.optional().meta({
        description:
          "next_cursor of the previous call: nothing is missed or repeated (default: where you have read to, as far as the broker knows).",
      }),
      receipt: Receipt.optional(),
      timeout: z.number().min(0).default(limits.waitSecondsMax).meta({
        description: "Seconds, up to 30 (default: 30; over MCP 25, and 29 for 30 without a progress token).",
      }),
      include_own: z.boolean().default(false).meta({ description: "Include your own messages." }),
      ...inEpoch,
      ...asTeam,
    })
    .refine((input) => input.since_cursor === undefined || input.receipt === undefined, {
      error: "leave it out: since_cursor already acknowledges what has arrived",
      path: ["receipt"],
    }),
  output: z.object({
    messages: z.array(Message),
    next_cursor: Sequence,
    session_closed: z.boolean(),
    epoch: Epoch,
    ...arrival,
    remaining: z.int().optional().meta({ description: "Messages beyond this page; call again immediately." }),
    skipped: z.int().optional().meta({
      description: "Messages before since_cursor that were never returned; a call without it returns them.",
    }),
    document_version: Version.optional().meta({
      description: "Present when the document has changed since your last wait.",
    }),
    idle_polls: z.int().optional().meta({ description: "How many waits in a row were empty." }),
    advice: z.string().optional().meta({ description: "What to do when the idle budget is used up." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "resync"],
  compact: (result, { credentialHolder }) =>
    joinLines(
      ...result.messages.map((message) => compactDelivered(message, result.again)),
      credentialHolder === "caller" &&
        result.skipped !== undefined &&
        `${result.skipped} skipped unread: call without since_cursor`,
      result.remaining !== undefined && `${result.remaining} more: call again`,
      result.document_version !== undefined && `document v${result.document_version}`,
      result.session_closed && "session closed",
      result.advice && `advice: ${result.advice}`,
      credentialHolder === "server" && result.messages.length === 0 && "nothing new",
      credentialHolder === "caller" &&
        `${result.messages.length === 0 ? "nothing new, " : ""}next_cursor ${result.next_cursor}`,
    ),
});

export const ack = operation("ack", {
  summary:
    "Report the last message that you have handled. Only needed if you read the feed without wait_for_messages.",
  // Not listed over stdio, because the stdio server maintains the cursor.
  unlistedOverStdio: true,
  input: z.strictObject({
    ...inSession,
    cursor: Sequence.meta({ description: "The message's number." }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ cursor: Sequence, skipped: z.int().optional() }),
  errors: ["unauthorized", "not_found", "resync"],
  compact: (acked) => `read up to ${acked.cursor}`,
});

export const getHistory = operation("get_history", {
  summary: "Read earlier messages, newest page first. For new messages use wait_for_messages.",
  unlisted: ["after_cursor", "around", "at", "types", "kinds", "team", "q", "thread"],
  unlistedOverStdio: ["limit"],
  input: z
    .strictObject({
      ...inSession,
      before_cursor: Sequence.optional().meta({
        description: "next_cursor of the last page.",
      }),
      after_cursor: Sequence.optional().meta({ description: "Read forward: newer_cursor of the last page." }),
      around: Sequence.min(1).optional().meta({ description: "A page with this message in the middle." }),
      at: instantOf("to").optional().meta({
        description: "As of this time: nothing that was posted later.",
      }),
      limit: z.int().optional().meta({ description: "Up to 500 (default: 100)." }),
      types: z
        .array(z.enum(["chat", "system"]))
        .max(2)
        .optional()
        .meta({ description: "Only these." }),
      kinds: z
        .array(z.enum(["plain", "ask", "decision"]))
        .max(3)
        .optional()
        .meta({ description: "Only these kinds of chat; plain is neither ask nor decision." }),
      team: StorableText.min(1).max(limits.nameCharsMax).optional().meta({
        description: "Only messages of this team, and events about it.",
      }),
      q: StorableText.trim().min(1).max(limits.queryCharsMax).optional().meta({
        description: "Only messages with this text, case-insensitive.",
      }),
      thread: Sequence.min(1).optional().meta({
        description: "A message number: only the thread that it belongs to.",
      }),
      ...inEpoch,
      ...asTeam,
    })
    .refine(
      (input) =>
        [input.before_cursor, input.after_cursor, input.around].filter((given) => given !== undefined)
          .length < 2,
      { error: "give one of before_cursor, after_cursor and around" },
    ),
  output: z.object({
    messages: z.array(Message),
    next_cursor: Sequence.nullable(),
    has_more: z.boolean(),
    newer_cursor: Sequence.nullable().meta({
      description: "Pass it as after_cursor for the next page; null at the end.",
    }),
    last_sequence: Sequence.meta({ description: "End of the feed, or of the part that is read." }),
    epoch: Epoch,
  }),
  errors: ["unauthorized", "not_found", "resync"],
  compact: (page) =>
    joinLines(
      page.has_more && `older: before_cursor ${page.next_cursor}`,
      ...page.messages.map(formatMessageLines),
      page.messages.length === 0 && "nothing here",
    ),
});
