import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  Epoch,
  inEpoch,
  inSession,
  retryable,
  Sequence,
  StorableText,
  Timestamp,
  textOfBytes,
  Uuid,
  Version,
} from "../core/values.js";
import { formatMessageLines, formatMessageTime, type Rendering } from "../feed/compact.js";
import { Message, Priority } from "../feed/message.js";
import { isSealed } from "../identity/sealed-form.js";
import { formatInlineAddress, formatInlineName, joinLines } from "../text/neutralise.js";
import { beyondWakingText, isBeyondWaking } from "../text/wake-reach.js";
import { operation } from "./core-operation.js";
import { DeclaredStatus, WakePath } from "./peers.js";

const Recipient = StorableText.trim().min(1).max(250);

/**
 * The recipients of a message. Each is a peer, a team, `team/peer`, a peer's key, `@group`, `@humans`, `*` or
 * `@all`. A list of these is also accepted.
 */
export const Recipients = z
  .union([Recipient, z.array(Recipient).min(1).max(limits.recipientsMax)])
  .transform((to) => (typeof to === "string" ? [to] : to))
  .meta({ description: "Peers, teams, @groups, @humans or *." });

export const MessageText = textOfBytes(limits.messageTextBytesMax).refine((text) => text.trim() !== "", {
  error: "must not be blank",
});

/** A peer that a message will reach, with its status (SEND-6). */
export const RecipientState = z
  .object({
    team: z.string(),
    peer: z.string().nullable(),
    human: z.boolean(),
    status: z.enum(["active", "idle", "disconnected"]),
    declared: DeclaredStatus.nullable(),
    connected: z.boolean(),
    last_seen_at: Timestamp,
    wake: z.array(WakePath).meta({ description: "What can wake it now; empty: it reads at its next poll." }),
    delivered: z.boolean().meta({ description: "Its model has received the message." }),
    delivered_at: Timestamp.nullable().meta({
      description: "Null also when it was too long ago to be known.",
    }),
  })
  .meta({ id: "RecipientState" });
export type RecipientState = z.output<typeof RecipientState>;

export function compactRecipient(state: RecipientState): string {
  const name = formatInlineAddress(state.team, state.peer);
  if (state.delivered)
    return `${name} got it${state.delivered_at ? ` ${formatMessageTime(state.delivered_at)}` : ""}`;
  const declared = state.declared === "dnd" || state.declared === "blocked" ? ` (${state.declared})` : "";
  if (state.status === "disconnected")
    return `${name}${declared} is away since ${formatMessageTime(state.last_seen_at)}, gets it on return`;
  return `${name} is ${state.status}${declared}${describeReadTime(state)}`;
}

/**
 * Describes when a connected peer will read a message, if no wake path can wake the peer immediately
 * (VENDOR-6).
 */
export function describeReadTime({ wake, declared }: Pick<RecipientState, "wake" | "declared">): string {
  if (wake.length === 0) return ", reads at its next poll";
  return isBeyondWaking(wake, declared) ? `, ${beyondWakingText}` : "";
}

export const Posted = z.object({
  message_id: Uuid,
  cursor: Sequence,
  at: Timestamp,
  recipients: z.array(RecipientState).optional().meta({
    description: "If the message is not for everyone: exactly the peers that it reaches.",
  }),
});

export function compactPosted({ cursor, recipients }: z.output<typeof Posted>): string {
  const told = (recipients ?? []).slice(0, 20).map(compactRecipient);
  const more = (recipients?.length ?? 0) - told.length;
  return joinLines(
    `#${cursor} posted`,
    told.length > 0 && `- ${told.join("; ")}`,
    more > 0 && `and ${more} more`,
  );
}

export const sendMessage = operation("send_message", {
  summary:
    "Write to a peer, team or @group of the Merkle session, also on other machines; for all use post_message. Claude Code's own SendMessage reaches only sessions of this machine.",
  loadedUpfront: true,
  textField: "message",
  input: z
    .strictObject({
      ...inSession,
      to: Recipients,
      message: MessageText,
      private: z.boolean().default(false).meta({ description: "Sealed for one peer." }),
      priority: Priority.default("next").meta({
        description: "now overrides dnd; low wakes no one.",
      }),
      reply_to: Sequence.min(1).optional().meta({ description: "A message's number." }),
      ...asTeam,
      ...retryable,
    })
    .refine((input) => !input.private || input.to.length === 1, {
      error: "a private message needs exactly one recipient",
      path: ["to"],
    })
    .refine((input) => !input.private || isSealed(input.message), {
      error:
        "a private message must be encrypted before it is sent, but this is plain text, so the broker has read it; nothing was posted. Only a client with its own keys can encrypt: `merkle mcp` over stdio, as `merkle launch` starts it",
      path: ["message"],
    }),
  output: Posted,
  errors: ["unauthorized", "session_closed", "session_held", "budget_spent", "not_found", "conflict"],
  compact: compactPosted,
});

/**
 * A receipt for the reply to a call that had no cursor. Sending it back acknowledges the messages in that
 * reply (CURSOR-6).
 */
export const Receipt = StorableText.min(1).max(100).meta({
  description:
    "receipt of the previous reply, omitted at first: acknowledges what has arrived, as since_cursor does.",
});

/** Additional fields in the reply to a call that had no cursor. */
export const arrival = {
  receipt: Receipt.optional().meta({
    description: "Pass it to the next call without since_cursor to acknowledge this reply.",
  }),
  again: Sequence.optional().meta({
    description: "Messages up to this number were in an earlier reply that was never acknowledged.",
  }),
};

/** Formats a delivered message whose text has already been passed through `foreign`. */
export function compactDelivered(message: Message, again = 0): string {
  return `${message.sequence <= again ? "(again) " : ""}${formatMessageLines(message)}`;
}

const UnreadPage = z.object({
  messages: z.array(Message),
  next_cursor: Sequence,
  session_closed: z.boolean(),
  epoch: Epoch,
  ...arrival,
  remaining: z.int().optional().meta({ description: "Messages beyond this page; call again." }),
  document_version: Version.optional().meta({
    description: "Present when the document has changed since you last read messages.",
  }),
  session: z.string().optional().meta({
    description:
      "Over MCP, if several sessions are joined and none was named: the slug of this page's session.",
  }),
});

export const checkMessages = operation("check_messages", {
  summary: "Read your unread messages without waiting. To wait for new ones, use wait_for_messages.",
  loadedUpfront: true,
  unlisted: ["receipt"],
  input: z.strictObject({ ...inSession, receipt: Receipt.optional(), ...inEpoch, ...asTeam }),
  output: UnreadPage.extend({
    others: z.array(UnreadPage).optional().meta({ description: "The pages of the other sessions." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "resync"],
  compact: ({ others = [], ...first }, rendering) =>
    joinLines(...[first, ...others].map((page) => compactUnread(page, rendering))),
});

function compactUnread(result: z.output<typeof UnreadPage>, { credentialHolder }: Rendering): string {
  return joinLines(
    result.session !== undefined && `session ${result.session}:`,
    result.remaining !== undefined && `${result.remaining} more after these: call again`,
    ...result.messages.map((message) => compactDelivered(message, result.again)),
    result.document_version !== undefined && `document v${result.document_version}`,
    result.session_closed && "session closed",
    result.messages.length === 0 && "nothing new",
    credentialHolder === "caller" && `next_cursor ${result.next_cursor}`,
  );
}

export const messageStatus = operation("message_status", {
  summary: "See which peers a message reached, who received it and when, and who answered.",
  input: z.strictObject({
    ...inSession,
    message: Sequence.min(1).meta({ description: "Its number." }),
    ...asTeam,
  }),
  output: z.object({
    message: Sequence,
    recipients: z.array(RecipientState),
    delivered: z.int().meta({ description: "To how many of them." }),
    answered: z
      .object({
        message: Sequence,
        by: z.string(),
        answer: z.string().nullable().meta({ description: "Null when it was removed." }),
      })
      .nullable(),
    open: z.boolean().meta({
      description: "Whether it is an ask to which no one but its author has replied.",
    }),
    unanswered: z.boolean().meta({
      description: "Whether it is an open ask that is older than the broker's `unanswered_after_s`.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ message, recipients, delivered, answered, unanswered }) =>
    joinLines(
      `#${message} delivered ${delivered}/${recipients.length}`,
      ...recipients.map((each) => `- ${compactRecipient(each)}`),
      answered && `answered by ${formatInlineName(answered.by)} in #${answered.message}`,
      unanswered && "unanswered",
    ),
});
