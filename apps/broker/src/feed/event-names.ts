import type { SystemEvent } from "@merkle/wire";

type EventName = SystemEvent["event"];

// A record, so that an event that is missing here does not compile.
const names: Readonly<Record<EventName, true>> = {
  team_joined: true,
  team_left: true,
  session_metadata_updated: true,
  session_concluded: true,
  session_held: true,
  session_resumed: true,
  budget_spent: true,
  settings_changed: true,
  proposal_decided: true,
  topic_opened: true,
  topic_closed: true,
  topic_reopened: true,
  state_changed: true,
  message_redacted: true,
};

/** The names of all events that a feed can hold. */
export const eventNames: readonly string[] = Object.keys(names);
