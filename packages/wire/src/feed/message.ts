import * as z from "zod";
import {
  Sequence,
  type TaskChange,
  type TaskCheck,
  type TaskLink,
  Timestamp,
  type TopicCloseReason,
  Uuid,
} from "../core/values.js";
import type { SignedHead } from "../identity/head.js";

export const Priority = z.enum(["now", "next", "low"]);

export const MessageAuthor = z.object({
  team: z.string(),
  peer: z.string().optional(),
  human: z.boolean(),
});

/**
 * The removal of a text: who removed it, when and why, and the number of the event that says so (REDACT-4). Fields are null
 * where that event's own content was removed as well.
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
 * An entry of a feed, as every transport gives it out (FEED-8). A chat message holds its text in `content.text`. A system
 * message has no author; its `event` and the event's fields stand at the top level and, the same, in `content`.
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

interface Change {
  readonly from: string;
  readonly to: string;
}

interface SettingChange {
  readonly from: string | number;
  readonly to: string | number;
}

/** The events that the broker announces in a feed, each with its own fields. */
export type SystemEvent =
  | { event: "team_joined"; team: string; at: string }
  | { event: "team_left"; team: string; at: string }
  | {
      event: "session_metadata_updated";
      by: string;
      changes: { title?: Change | undefined; description?: Change | undefined };
      reason: string;
      at: string;
    }
  /** `head` is of what came before the event; what was concluded before heads were signed has none. */
  | { event: "session_concluded"; by: string; document_version: number; at: string; head?: SignedHead }
  | { event: "session_held"; by: string; reason: string | null; at: string }
  | { event: "session_resumed"; by: string; at: string }
  /** The settings that a person changed, each with its old and new value (SET-6). */
  | { event: "settings_changed"; by: string; changes: Readonly<Record<string, SettingChange>>; at: string }
  /** The outcome of an accepted one stands in `topic_closed` or `session_concluded`. */
  | {
      event: "proposal_decided";
      proposal_id: number;
      decision: "reject" | "return" | "rebase";
      by: string;
      at: string;
    }
  /** Agents have said `budget` messages since the last human word, and were refused the next. */
  | { event: "budget_spent"; budget: number; at: string }
  /** The message that it replies to has lost its text, or these versions of the document have. */
  /** `document_versions` are those that the removed message had said were removed: without its text nothing else would say so. */
  | {
      event: "message_redacted";
      by: string;
      redacted_sequence: number;
      document_versions?: { from: number; to: number };
      reason: string | null;
      at: string;
    }
  | {
      event: "message_redacted";
      by: string;
      document_versions: { from: number; to: number };
      reason: string | null;
      at: string;
    }
  /** `quote` is the beginning of what the topic is about; null when that is all of the text. */
  | { event: "topic_opened"; topic_id: number; by: string; title: string; quote: string | null; at: string }
  | {
      event: "topic_closed";
      topic_id: number;
      by: string;
      title: string;
      reason: TopicCloseReason;
      at: string;
    }
  | { event: "topic_reopened"; topic_id: number; by: string; title: string; at: string }
  /** A task was changed. Fields beside the title say how; each is told once, when it is written: from its events alone a task can be made again. */
  | {
      event: "task_changed";
      task: number;
      title: string;
      change: TaskChange;
      by: string;
      text?: string | undefined;
      assignee?: string | null | undefined;
      blocked_by?: readonly number[] | undefined;
      labels?: readonly string[] | undefined;
      links?: readonly TaskLink[] | undefined;
      check?: TaskCheck | null | undefined;
      /** The previous holder, where the task is taken from somebody. */
      holder?: string | undefined;
      fence?: number | undefined;
      reason?: string | undefined;
      result?: string | undefined;
      proof?: { readonly exit_code: number; readonly tail: string } | undefined;
      at: string;
    }
  | {
      event: "claim_changed";
      claim: number;
      scope: string;
      shared: boolean;
      change: "claimed" | "released" | "expired" | "handed_back";
      by: string;
      /** The previous holder, where somebody else ends the claim. */
      holder?: string | undefined;
      reason?: string | undefined;
      /** When it ends by itself, where it was claimed for a time. */
      expires_at?: string | undefined;
      at: string;
    }
  /** `hash` stands for what was asked about, with the ask's salt; `by` is null where the agent's own terminal was answered. */
  | {
      event: "approval_ended";
      approval: number;
      of: string;
      tool: string;
      hash: string;
      decision: "allowed" | "denied" | "left" | "withdrawn";
      by: string | null;
      at: string;
    }
  /** `value` is left out when it is above 8 KiB, and when the key was deleted. */
  | {
      event: "state_changed";
      by: string;
      key: string;
      version: number;
      value?: unknown;
      deleted?: true;
      at: string;
    };
