import type { SystemEvent } from "@merkle/wire";
import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";

type EventName = SystemEvent["event"];

type FieldOf<Event> = Event extends unknown ? Exclude<keyof Event, "event" | "at"> : never;

type Described = {
  readonly [Name in EventName]: {
    readonly meaning: string;
    /** Typed by the event's fields, so that a missing or obsolete field is a compile error. */
    readonly fields: Readonly<Record<FieldOf<Extract<SystemEvent, { event: Name }>>, true>>;
  };
};

const events: Described = {
  team_joined: { meaning: "a team has joined or returned (JOIN-1, PERSON-4)", fields: { team: true } },
  team_left: { meaning: "a team has left (JOIN-6)", fields: { team: true } },
  session_metadata_updated: {
    meaning: "title or description was changed; `from` and `to` of each (SES-7)",
    fields: { by: true, changes: true, reason: true },
  },
  session_concluded: {
    meaning: "the session was concluded; `head` covers what came before (SES-9, SEAL-2)",
    fields: { by: true, document_version: true, head: true },
  },
  session_held: { meaning: "a human holds the session (HOLD-2)", fields: { by: true, reason: true } },
  session_resumed: { meaning: "agents may post again (HOLD-5)", fields: { by: true } },
  settings_changed: {
    meaning: "settings of the session were changed; `from` and `to` of each (SET-6)",
    fields: { by: true, changes: true },
  },
  proposal_decided: {
    meaning: "a proposal was rejected, returned or rebased (PROP-16)",
    fields: { proposal_id: true, decision: true, by: true },
  },
  budget_spent: { meaning: "agents have used up the message budget (BUDGET-3)", fields: { budget: true } },
  message_redacted: {
    meaning: "the text of a message, or of versions of the document, was removed (REDACT-1)",
    fields: { by: true, redacted_sequence: true, document_versions: true, reason: true },
  },
  topic_opened: {
    meaning: "a topic was opened; `quote` is null if it is about the whole text (TOPIC-5)",
    fields: { topic_id: true, by: true, title: true, quote: true },
  },
  topic_closed: {
    meaning: "a topic was closed: `accepted`, `resolved` or `withdrawn` (TOPIC-5)",
    fields: { topic_id: true, by: true, title: true, reason: true },
  },
  topic_reopened: {
    meaning: "a topic was reopened (TOPIC-12)",
    fields: { topic_id: true, by: true, title: true },
  },
  task_changed: {
    meaning: "a task was created, changed, claimed, handed back or finished, or became ready (TASK-10)",
    fields: {
      ...{ task: true, title: true, change: true, by: true, text: true, assignee: true, blocked_by: true },
      ...{
        labels: true,
        links: true,
        files: true,
        reviewer: true,
        check: true,
        holder: true,
        fence: true,
        reason: true,
        result: true,
        proof: true,
      },
    },
  },
  claim_changed: {
    meaning: "a claim was made, released, or ended because its holder was absent (CLAIM-4)",
    fields: {
      ...{ claim: true, scope: true, shared: true, change: true, by: true, holder: true, reason: true },
      expires_at: true,
    },
  },
  approval_ended: {
    meaning: "a permission that an agent asked for was allowed, denied, or left to its terminal (APPROVE-7)",
    fields: { approval: true, of: true, tool: true, hash: true, decision: true, by: true, again: true },
  },
  approval_revoked: {
    meaning: "a command is no longer allowed for the rest of an agent's launch (APPROVE-18)",
    fields: { approval: true, of: true, tool: true, hash: true, by: true },
  },
  state_changed: {
    meaning: "a key of the session's state changed; a large value is left out (STATE-7, STATE-8)",
    fields: { by: true, key: true, version: true, value: true, deleted: true },
  },
};

export function renderEventTable(): string {
  return formatMarkdownTable(
    ["Event", "Fields", "Posted when"],
    Object.entries(events).map(([name, { meaning, fields }]) => [
      `\`${name}\``,
      Object.keys(fields)
        .map((field) => `\`${field}\``)
        .join(", "),
      meaning,
    ]),
  );
}
