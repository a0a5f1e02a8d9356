/** The parts of a mesh that a page reads again after a change. */
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

/** The effects of an event of a feed, apart from its own fields (`SystemEvent`). */
export interface EventKind {
  /**
   * The reads that the event affects. A superfluous entry costs a read, a missing one leaves a page out of
   * date.
   */
  readonly changes: readonly MeshChangedKind[];
  /**
   * True if the event ends a blocking wait and wakes an idle agent, regardless of its priority (DELIVER-4,
   * WAKE-2).
   */
  readonly wakes?: true;
  /**
   * True if the event ends the convener's waits and, unless its priority is `low`, everyone's. An idle agent
   * is not woken (DELIVER-4).
   */
  readonly endsWaits?: true;
  /** The kind of the event's mark on the timeline (TIME-2). */
  readonly mark?: "metadata" | "joined" | "left" | "held" | "concluded";
  /**
   * True if the event contains text written by a user, which can be redacted. Everything else is in the
   * roster or was determined by the broker.
   */
  readonly holdsText?: true;
  /**
   * True if the event reports people joining or leaving, or a routine change. Pages fold a run of such events
   * into one line.
   */
  readonly foldable?: true;
  /** The part of the audit log that lists the event. Null for state changes, which have their own history. */
  readonly log: "people" | "session" | "record" | null;
}

/** The properties of all events of a union. An event without an entry does not compile. */
export type EventKinds<Event extends { readonly event: string }> = Readonly<
  Record<Event["event"], EventKind>
>;
