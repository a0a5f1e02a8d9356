import { formatAgentUnread, formatUnread } from "@merkle/wire";

export interface UnreadCountProps {
  /** Null if the broker does not count the reader's messages. */
  readonly count: number | null;
  /** Whether the messages are unread by an agent instead of this person. */
  readonly isAgents?: boolean;
}

/** A number of unread messages. The broker stops counting at a limit, which is shown as `100+`. */
export function UnreadCount({ count, isAgents }: UnreadCountProps) {
  return count ? (
    <span className="whitespace-nowrap tabular-nums">
      {isAgents ? formatAgentUnread(count) : formatUnread(count)}
    </span>
  ) : null;
}
