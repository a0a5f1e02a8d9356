import type { EventKinds } from "../../feed/event-kind.js";
import type { TopicCloseReason } from "./operations.js";

/** Events about topics that the broker posts in feeds. */
export type TopicEvent =
  /**
   * `quote` is the beginning of the passage that the topic is about. Null if the topic is about the whole
   * text.
   */
  | { event: "topic_opened"; topic_id: number; by: string; title: string; quote: string | null; at: string }
  | {
      event: "topic_closed";
      topic_id: number;
      by: string;
      title: string;
      reason: TopicCloseReason;
      at: string;
    }
  | { event: "topic_reopened"; topic_id: number; by: string; title: string; at: string };

export const events = {
  topic_opened: { changes: ["topics"], log: "session" },
  topic_closed: { changes: ["topics"], log: "session" },
  topic_reopened: { changes: ["topics"], log: "session" },
} as const satisfies EventKinds<TopicEvent>;
