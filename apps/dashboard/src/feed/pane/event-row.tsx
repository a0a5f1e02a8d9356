"use client";

import type { Message } from "@merkle/wire";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { describeEvent, isFoldable } from "@/feed/store/describe-event";
import { useSession } from "@/sessions/session-context";
import { MessageLink } from "./message-link";
import { MessageMenuButton } from "./message-menu-button";
import { RawMessage } from "./raw-message";

export interface EventRowProps {
  readonly message: Message;
  readonly isRaw: boolean;
  readonly onRaw: (message: Message) => void;
}

/** An event from the broker. Changes to the session are emphasised, joins and leaves are not. */
export function EventRow({ message, isRaw, onRaw }: EventRowProps) {
  const { text, reason } = describeEvent(message);
  const isStandalone = !isFoldable(message);
  return (
    <div className="group/message relative flex min-w-0 gap-2 ps-1 text-sm">
      <span aria-hidden className={cn("w-[3px] shrink-0 rounded-full", isStandalone && "bg-input")} />
      <div className="min-w-0 flex-1 ps-7 pe-13 pointer-coarse:pe-11">
        <span className="float-end ms-2 flex items-baseline gap-2 text-muted-foreground tabular-nums">
          <TimeText at={message.posted_at} as="clock" />
          <MessageLink
            sequence={message.sequence}
            className="-my-0.5 min-w-6 py-0.5 text-end pointer-coarse:-my-3 pointer-coarse:min-w-11 pointer-coarse:py-3 hover:text-foreground hover:underline"
            label={`Link to message ${message.sequence}`}
          >
            {message.sequence}
          </MessageLink>
        </span>
        <div dir="auto" className="break-words">
          <p className={isStandalone ? "font-medium" : "text-muted-foreground"}>{text}</p>
          {reason !== null && <p className="text-muted-foreground">Reason: {reason}</p>}
          <TopicLink topicId={message["topic_id"]} />
          {isRaw && <RawMessage message={message} />}
        </div>
      </div>
      <MessageMenuButton message={message} isRaw={isRaw} onRaw={() => onRaw(message)} />
    </div>
  );
}

/** Links an event about a comment to that comment. */
function TopicLink({ topicId }: { topicId: unknown }) {
  const { session } = useSession();
  if (typeof topicId !== "number") return null;
  return (
    <PageLink
      href={`/sessions/${session.slug}/doc?topic=${topicId}`}
      className="inline-flex min-h-6 items-center text-link underline underline-offset-2 pointer-coarse:min-h-11"
    >
      Show the comment
    </PageLink>
  );
}
