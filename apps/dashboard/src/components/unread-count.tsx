import { formatAgentUnread, formatUnread } from "@merkle/wire";

export interface UnreadCountProps {
  /** Null if the broker does not count the reader's messages. */
  readonly count: number | null;
  /** Whether the messages are unread by this person, or by an agent. */
  readonly reader: "person" | "agent";
}

/** A number of unread messages. The broker stops counting at a limit, which is shown as `100+`. */
export function UnreadCount({ count, reader }: UnreadCountProps) {
  if (count === null || count === 0) return null;
  return (
    <span className="whitespace-nowrap tabular-nums">
      {reader === "agent" ? formatAgentUnread(count) : formatUnread(count)}
    </span>
  );
}
