import * as z from "zod";
import { Sequence, Timestamp, Uuid } from "../core/values.js";

export const Priority = z.enum(["now", "next", "low"]);

export const MessageAuthor = z.object({
  team: z.string(),
  peer: z.string().optional(),
  human: z.boolean(),
});

/**
 * Facts about a redaction: who removed the text, when and why, and the sequence of the event that reports the
 * removal (REDACT-4). Fields are null if that event was redacted as well.
 */
export const Redaction = z
  .object({
    by: z.string().nullable(),
    at: Timestamp.nullable(),
    reason: z.string().nullable(),
    sequence: Sequence.nullable(),
  })
  .meta({ id: "Redaction" });

export type Redaction = z.output<typeof Redaction>;

/**
 * A message in a feed, as all transports return it (FEED-8). The text of a chat message is in `content.text`.
 * A system message has no author. Its `event`, and the event's fields, are both at the top level and in
 * `content`.
 */
export const Message = z
  .looseObject({
    id: Uuid,
    session_id: Uuid,
    sequence: Sequence,
    type: z.enum(["chat", "system"]),
    posted_by_team_id: Uuid.nullable(),
    from: MessageAuthor.nullable(),
    to: z.array(z.string()),
    priority: Priority,
    reply_to: Sequence.optional(),
    content: z.record(z.string(), z.unknown()),
    posted_at: Timestamp,
    event: z.string().optional(),
    redaction: Redaction.optional().meta({ description: "Present when its text was removed." }),
  })
  .meta({ id: "Message" });

export type Message = z.output<typeof Message>;
