import * as approvals from "./features/approvals/feature.js";
import * as proposals from "./features/proposals/feature.js";
import * as redaction from "./features/redaction/feature.js";
import * as state from "./features/state/feature.js";
import * as tasks from "./features/tasks/feature.js";
import * as topics from "./features/topics/feature.js";
import type { EventKind, EventKinds } from "./feed/event-kind.js";
import { type CoreEvent, coreEvents } from "./feed/events.js";
import type { Message } from "./feed/message.js";

/** The events that the broker posts in feeds, each with its own fields. */
export type SystemEvent =
  | CoreEvent
  | approvals.ApprovalEvent
  | proposals.ProposalEvent
  | redaction.RedactionEvent
  | state.StateEvent
  | tasks.TaskEvent
  | topics.TopicEvent;

/** The properties of each kind of event. */
export const eventKinds: EventKinds<SystemEvent> = {
  ...coreEvents,
  ...approvals.events,
  ...proposals.events,
  ...redaction.events,
  ...state.events,
  ...tasks.events,
  ...topics.events,
};

export const eventNames: readonly string[] = Object.keys(eventKinds);

/**
 * Returns the properties of an event. Undefined for a message without an event, or for an event that only
 * newer brokers know.
 */
export function findEventKind(name: string | undefined): EventKind | undefined {
  return name !== undefined && Object.hasOwn(eventKinds, name)
    ? eventKinds[name as SystemEvent["event"]]
    : undefined;
}

/**
 * Returns true if a message should wake the model or interrupt its current turn. Such messages are chat
 * messages except those of low priority, the end of the session, changes to watched state, and events of
 * priority `now`. All other messages wait and are delivered together with the next such message (DELIVER-4,
 * WAKE-2).
 */
export function wakes({ type, priority, event }: Pick<Message, "type" | "priority" | "event">): boolean {
  if (type === "chat") return priority !== "low";
  return priority === "now" || findEventKind(event)?.wakes === true;
}
