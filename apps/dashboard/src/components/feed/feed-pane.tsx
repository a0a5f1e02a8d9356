"use client";

import { ProblemAlert } from "@/components/problem-alert";
import { useSession } from "@/components/session/session-context";
import { TimeText } from "@/components/time-text";
import { useRead } from "@/lib/broker/use-read";
import { MarkdownText } from "@/lib/markdown/markdown-text";

/** The newest messages of the session. */
export function FeedPane() {
  const { session } = useSession();
  const { data, problem, refresh } = useRead(
    "get_history",
    { session_id: session.session_id },
    { on: ["sessions"] },
  );
  if (problem !== undefined) return <ProblemAlert problem={problem} onRetry={refresh} className="m-3" />;
  return (
    <ol className="min-h-0 flex-1 overflow-y-auto px-4 py-2">
      {data?.messages.map((message) => (
        <li key={message.id} className="py-1.5">
          <p className="flex gap-2 text-sm text-muted-foreground">
            <bdi>{message.from?.team ?? "broker"}</bdi>
            <TimeText at={message.posted_at} as="clock" /> #{message.sequence}
          </p>
          <MarkdownText text={String(message.content["text"] ?? message.event)} />
        </li>
      ))}
    </ol>
  );
}
