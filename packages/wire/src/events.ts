import * as approvals from "./features/approvals/feature.js";
import * as proposals from "./features/proposals/feature.js";
import * as redaction from "./features/redaction/feature.js";
import * as state from "./features/state/feature.js";
import * as tasks from "./features/tasks/feature.js";
import * as topics from "./features/topics/feature.js";
import type { EventKind, EventKinds } from "./feed/event-kind.js";
import { type CoreEvent, coreEvents } from "./feed/events.js";
import type { Message } from "./feed/message.js";

/** The events that the broker announces in a feed, each with its own fields. */
export type SystemEvent =
  | CoreEvent
  | approvals.ApprovalEvent
  | proposals.ProposalEvent
  | redaction.RedactionEvent
  | state.StateEvent
  | tasks.TaskEvent
  | topics.TopicEvent;

/** The kinds of events that a feed can hold. */
export const eventKinds: EventKinds<SystemEvent> = {
  ...coreEvents,
  ...approvals.events,
  ...proposals.events,
  ...redaction.events,
  ...state.events,
  ...tasks.events,
  ...topics.events,
};

/** The names of all events. */
export const eventNames: readonly string[] = Object.keys(eventKinds);

/** Finds the effects of the event of this name; none of one that a newer broker announces, or of no name. */
export function findEventKind(name: string | undefined): EventKind | undefined {
  return name !== undefined && Object.hasOwn(eventKinds, name)
    ? eventKinds[name as SystemEvent["event"]]
    : undefined;
}

/**
 * Whether a message is worth a turn of the model's, or a place in the one that runs: what somebody says, unless it is of low
 * priority, the end of the session, a change of state that its reader watches, and an event of priority `now`. Everything else
 * comes along with the next of these (DELIVER-4, WAKE-2).
 */
export function wakes({ type, priority, event }: Pick<Message, "type" | "priority" | "event">): boolean {
  if (type === "chat") return priority !== "low";
  return priority === "now" || findEventKind(event)?.wakes === true;
}
