"use client";

import type { OutputOf } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";

export interface UnreadBarProps {
  readonly count: number;
  readonly onFirst: () => void;
  readonly onCatchUp: () => void;
  readonly onRead: () => void;
}

/**
 * Shown if there are too many unread messages to open the feed at the first of them. Shows the number of unread
 * messages and ways to catch up.
 */
export function UnreadBar({ count, onFirst, onCatchUp, onRead }: UnreadBarProps) {
  const since = useFirstUnread();
  return (
    <section
      aria-label="Unread"
      className="flex flex-wrap items-center gap-x-1 border-b bg-highlight px-3 py-1 text-sm tabular-nums"
    >
      <span className="me-1 font-medium">
        <UnreadCount count={count} />
        {since !== null && (
          <>
            {" since "}
            <TimeText at={since} as="clock" />
          </>
        )}
      </span>
      <Button variant="ghost" size="sm" onClick={onFirst}>
        First unread
      </Button>
      <Button variant="ghost" size="sm" onClick={onCatchUp}>
        Catch up
      </Button>
      <Button variant="ghost" size="sm" onClick={onRead}>
        Mark read
      </Button>
    </section>
  );
}

/** Returns when the first unread message was posted. */
function useFirstUnread(): string | null {
  const { session } = useSession();
  const { session_id, last_read } = session;
  const { data }: { data: OutputOf<"get_history"> | undefined } = useRead(
    "get_history",
    last_read === null ? null : { session_id, after_cursor: last_read, types: ["chat"], limit: 1 },
  );
  return data?.messages[0]?.posted_at ?? null;
}
