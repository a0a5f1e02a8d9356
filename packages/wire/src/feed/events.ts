import type { SignedHead } from "../identity/head.js";
import type { EventKinds } from "./event-kind.js";

interface MetadataChange {
  readonly from: string;
  readonly to: string;
}

interface SettingChange {
  readonly from: string | number;
  readonly to: string | number;
}

/** The events that the core of the broker posts in feeds, each with its own fields. */
export type CoreEvent =
  | { event: "team_joined"; team: string; at: string }
  | { event: "team_left"; team: string; at: string }
  | {
      event: "session_metadata_updated";
      by: string;
      changes: { title?: MetadataChange | undefined; description?: MetadataChange | undefined };
      reason: string;
      at: string;
    }
  /**
   * `head` covers everything before the event. It is missing for sessions that were concluded before brokers
   * signed heads.
   */
  | { event: "session_concluded"; by: string; document_version: number; at: string; head?: SignedHead }
  | { event: "session_held"; by: string; reason: string | null; at: string }
  | { event: "session_resumed"; by: string; at: string }
  /**
   * Agents have posted `budget` messages since the last message from a human, so their next message was
   * refused.
   */
  | { event: "budget_spent"; budget: number; at: string }
  /** The settings that a person has changed, each with its old and its new value (SET-6). */
  | { event: "settings_changed"; by: string; changes: Readonly<Record<string, SettingChange>>; at: string };

export const coreEvents = {
  team_joined: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "joined",
    isFoldable: true,
    log: "people",
  },
  team_left: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "left",
    isFoldable: true,
    log: "people",
  },
  session_metadata_updated: {
    changes: ["sessions", "attention"],
    endsWaits: true,
    mark: "metadata",
    hasText: true,
    log: "session",
  },
  session_concluded: {
    changes: ["sessions", "attention"],
    wakes: true,
    mark: "concluded",
    log: "record",
  },
  session_held: { changes: ["sessions", "attention"], mark: "held", hasText: true, log: "session" },
  session_resumed: { changes: ["sessions", "attention"], log: "session" },
  budget_spent: { changes: ["sessions", "attention"], log: "session" },
  settings_changed: { changes: ["settings", "attention"], log: "session" },
} as const satisfies EventKinds<CoreEvent>;
