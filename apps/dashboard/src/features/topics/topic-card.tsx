"use client";

import type { Topic } from "@merkle/wire";
import { ChevronDown, ChevronRight } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { Badge } from "@/ui/badge";
import { describePlace } from "./describe-place";
import { QuoteText } from "./quote-text";
import { TopicThread } from "./topic-thread";

export interface TopicCardProps {
  readonly topic: Topic;
  readonly isOpen: boolean;
  /** Whether the card is next to its text. If so, the text is not quoted. */
  readonly isBesideText: boolean;
  readonly canWrite: boolean;
  readonly onToggle: () => void;
  /** Scrolls to the commented text. Undefined if the text was not found. */
  readonly onFind?: (() => void) | undefined;
}

/** A topic: its first comment and, once expanded, the whole thread. */
export function TopicCard({ topic, isOpen, isBesideText, canWrite, onToggle, onFind }: TopicCardProps) {
  const { topic_id, title, anchor, closed, messages_count } = topic;
  const place = describePlace(topic);
  const replies = messages_count - 1;
  const Sign = isOpen ? ChevronDown : ChevronRight;
  return (
    <article
      data-topic={topic_id}
      aria-label={`Comment ${topic_id}: ${title}`}
      className={cn("rounded-lg border bg-background", isOpen && "border-input")}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-9 w-full items-start gap-1.5 rounded-lg px-2.5 py-1.5 text-start hover:bg-raised pointer-coarse:min-h-11"
      >
        <Sign aria-hidden className="mt-1 size-3.5 shrink-0 text-muted-foreground" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-baseline gap-x-1.5 text-sm">
            <bdi className="min-w-0 truncate font-medium">{topic.opened_by}</bdi>
            <TimeText at={topic.opened_at} className="text-muted-foreground tabular-nums" />
            {replies > 0 && (
              <span className="ms-auto text-muted-foreground tabular-nums">
                {replies} {replies === 1 ? "reply" : "replies"}
              </span>
            )}
          </span>
          {!isOpen && (
            <span dir="auto" className="line-clamp-2 break-words">
              {title}
            </span>
          )}
        </span>
      </button>
      {(place !== null || closed !== null || (anchor !== null && !isBesideText)) && (
        <div className="grid gap-1 px-2.5 pb-2">
          {anchor !== null && !isBesideText && <QuoteText text={anchor.quote} />}
          <p className="flex flex-wrap items-center gap-1.5 empty:hidden">
            {place !== null && (
              <Badge
                variant={topic.place?.found === "lost" ? "warning" : "outline"}
                className="whitespace-normal"
              >
                {place}
              </Badge>
            )}
            {closed !== null && (
              <span className="text-sm text-muted-foreground">
                {closingLabels[closed.reason]} by <bdi>{closed.by}</bdi> <TimeText at={closed.at} />
              </span>
            )}
          </p>
        </div>
      )}
      {isOpen && <TopicThread topic={topic} canWrite={canWrite} onFind={onFind} />}
    </article>
  );
}

const closingLabels = {
  resolved: "resolved",
  accepted: "closed with an accepted proposal",
  withdrawn: "withdrawn",
} as const;
