import type { Message, SystemEvent } from "../feed/message.js";
import type { MeshChangedKind } from "./frames.js";

/** The effects of an event of a feed, beside its own fields (`SystemEvent`). */
export interface EventKind {
  /** Which reads of the mesh it changes; one too many costs a read, one too few leaves a page wrong. */
  readonly changes: readonly MeshChangedKind[];
  /** Whether it ends a wait that blocks and gives an idle agent a turn, whatever its priority (DELIVER-4, WAKE-2). */
  readonly wakes?: true;
  /** Whether it ends waits of the convener and, unless its priority is `low`, of everyone; it gives nobody a turn (DELIVER-4). */
  readonly endsWaits?: true;
  /** The mark that it is on the timeline (TIME-2). */
  readonly mark?: "metadata" | "joined" | "left" | "held" | "concluded";
  /** Whether it says what somebody wrote, which can be removed; the rest is known from the roster, or the broker found it. */
  readonly holdsText?: true;
  /** Whether it tells who comes, goes and counts, so that a page folds a run of them into one line. */
  readonly foldable?: true;
  /** The part of the audit log that it belongs to; null for a change of state, which has a history of its own. */
  readonly log: "people" | "session" | "record" | null;
}

/** The kinds of events that a feed can hold. One without an entry does not compile. */
export const eventKinds: Readonly<Record<SystemEvent["event"], EventKind>> = {
  team_joined: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "joined",
    foldable: true,
    log: "people",
  },
  team_left: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "left",
    foldable: true,
    log: "people",
  },
  session_metadata_updated: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "metadata",
    holdsText: true,
    log: "session",
  },
  session_concluded: {
    changes: ["sessions", "attention"],
    wakes: true,
    mark: "concluded",
    log: "record",
  },
  session_held: { changes: ["sessions", "attention"], mark: "held", holdsText: true, log: "session" },
  session_resumed: { changes: ["sessions", "attention"], log: "session" },
  budget_spent: { changes: ["sessions", "attention"], log: "session" },
  settings_changed: { changes: ["settings", "attention"], log: "session" },
  proposal_decided: { changes: [], log: "session" },
  topic_opened: { changes: ["topics"], log: "session" },
  topic_closed: { changes: ["topics"], log: "session" },
  topic_reopened: { changes: ["topics"], log: "session" },
  task_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    holdsText: true,
    foldable: true,
    log: "session",
  },
  claim_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    holdsText: true,
    foldable: true,
    log: "session",
  },
  approval_ended: { changes: ["attention"], log: "session" },
  state_changed: { changes: [], wakes: true, holdsText: true, foldable: true, log: null },
  message_redacted: { changes: ["sessions", "attention"], holdsText: true, log: "record" },
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
