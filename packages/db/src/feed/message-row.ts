import { type MessageFields, noOptionalFields } from "@merkle/wire";

/**
 * A message to be appended: its fields but those that the feed gives it. Its id is fixed before it is sent, so sending it again
 * can only find it (FEED-5).
 */
export interface MessageRow
  extends Omit<
    MessageFields,
    "sequence" | "posted_at" | "salt" | "content_hash" | "posted_by_team_id" | "posted_by_peer_id"
  > {
  /** The team that posts it. */
  readonly team_id: string | null;
  readonly peer_id: string | null;
  /** 16 random bytes in hexadecimal. */
  readonly salt: string;
  /** Set by what may still be announced in a closed session. */
  readonly after_closing: boolean;
}

/** A row by itself: nobody's, to everyone, about nothing. What makes a row says the rest. */
export const messageRowDefaults = {
  ...noOptionalFields,
  team_id: null,
  peer_id: null,
  author_team: null,
  author_peer: null,
  author_human: false,
  recipients: ["*"],
  priority: "next",
  after_closing: false,
  reaches: null,
  answers: null,
  kind: null,
} as const satisfies Partial<MessageRow>;

/** The outcome of one row, whatever became of the others of its batch. */
export type AppendOutcome =
  | { outcome: "posted"; sequence: number; postedAt: Date }
  | { outcome: "duplicate"; same: boolean; sequence: number; postedAt: Date }
  | { outcome: "closed" }
  /** A human holds the session, and this is an agent's message. */
  | { outcome: "held" }
  /** Agents have said as much as they may since the last human word. */
  | { outcome: "over_budget" }
  | { outcome: "missing" }
  | { outcome: "busy" };
