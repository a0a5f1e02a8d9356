/** The kinds of data in a mesh that may have changed, so that a page must read them again. */
export type MeshChangedKind =
  | "sessions"
  | "attention"
  | "memory"
  | "progress"
  | "audit"
  | "jobs"
  | "personas"
  | "perspectives"
  | "topics"
  | "proposals"
  | "settings"
  | "members"
  | "person";

/** The effects of an event in a feed. `SystemEvent` defines the event's own fields. */
export interface EventKind {
  /**
   * The kinds of data that a page must read again after the event. A superfluous kind costs a read, and a
   * missing one leaves a page out of date.
   */
  readonly changes: readonly MeshChangedKind[];
  /**
   * True if the event ends blocking waits and wakes idle agents, regardless of its priority (DELIVER-4,
   * WAKE-2).
   */
  readonly wakes?: true;
  /**
   * True if the agent that caused the event usually posts a message about it within seconds. A nudge for the event waits
   * for that message (DELIVER-4).
   */
  readonly hasFollowUp?: true;
  /**
   * True if the event ends the convener's waits and, unless its priority is `low`, also everyone else's. It
   * does not wake idle agents (DELIVER-4).
   */
  readonly endsWaits?: true;
  /** The kind of mark that the timeline shows for the event (TIME-2). */
  readonly mark?: "metadata" | "joined" | "left" | "held" | "concluded";
  /**
   * True if the event contains text that was written by a user and can be redacted. Everything else in an
   * event comes from the roster or the broker.
   */
  readonly hasText?: true;
  /**
   * True if the event reports someone joining or leaving, or a routine change. Pages fold several such events
   * in a row into one line.
   */
  readonly isFoldable?: true;
  /** The part of the audit log that lists the event. Null for state changes, which have their own history. */
  readonly log: "people" | "session" | "record" | null;
}

/** The properties of all events in a union type. If an event has no entry, this does not compile. */
export type EventKinds<Event extends { readonly event: string }> = Readonly<
  Record<Event["event"], EventKind>
>;
