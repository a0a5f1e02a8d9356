import { type MessageFields, noOptionalFields } from "@merkle/wire";

/**
 * A message to append, without the fields that the feed assigns. The message's id is fixed before it is sent,
 * so a retry finds the existing message instead of posting it twice (FEED-5).
 */
export interface MessageRow
  extends Omit<
    MessageFields,
    "sequence" | "posted_at" | "salt" | "content_hash" | "posted_by_team_id" | "posted_by_peer_id"
  > {
  /** Id of the team that posts the message. */
  readonly team_id: string | null;
  readonly peer_id: string | null;
  /** The salt for the content's hash: 16 random bytes in hexadecimal. */
  readonly salt: string;
  /** True if the message may be posted even after its session was closed. */
  readonly after_closing: boolean;
}

/**
 * Default values for a message's fields: no author, to everyone, not a reply. Callers set the remaining
 * fields.
 */
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

/** The outcome for one row. It does not depend on the other rows in the batch. */
export type AppendOutcome =
  | { outcome: "posted"; sequence: number; postedAt: Date }
  | { outcome: "duplicate"; isSame: boolean; sequence: number; postedAt: Date }
  | { outcome: "closed" }
  /** The message is from an agent, and a human holds the session. */
  | { outcome: "held" }
  /**
   * The message is from an agent, and agents have used up the message budget since the last message from a
   * human.
   */
  | { outcome: "over_budget" }
  | { outcome: "missing" }
  | { outcome: "busy" };
