import { type MessageFields, noOptionalFields } from "@merkle/wire";

/**
 * A message to append, without the fields that the feed assigns. Its id is fixed before it is sent, so a
 * retry can only find the existing message (FEED-5).
 */
export interface MessageRow
  extends Omit<
    MessageFields,
    "sequence" | "posted_at" | "salt" | "content_hash" | "posted_by_team_id" | "posted_by_peer_id"
  > {
  /** The team that posts the message. */
  readonly team_id: string | null;
  readonly peer_id: string | null;
  /** 16 random bytes in hexadecimal. */
  readonly salt: string;
  /** True if the message may be posted in a closed session. */
  readonly after_closing: boolean;
}

/** Default fields of a row: no author, to everyone, not a reply. Callers set the others. */
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

/** The outcome of one row, independent of the other rows in its batch. */
export type AppendOutcome =
  | { outcome: "posted"; sequence: number; postedAt: Date }
  | { outcome: "duplicate"; same: boolean; sequence: number; postedAt: Date }
  | { outcome: "closed" }
  /** A human holds the session, and the message is by an agent. */
  | { outcome: "held" }
  /** Agents have used up the message budget since the last message from a human. */
  | { outcome: "over_budget" }
  | { outcome: "missing" }
  | { outcome: "busy" };
