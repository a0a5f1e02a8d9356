/** What of a mesh a page reads again when it has changed. */
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

/** The kinds of these events. One without an entry does not compile. */
export type EventKinds<Event extends { readonly event: string }> = Readonly<
  Record<Event["event"], EventKind>
>;
