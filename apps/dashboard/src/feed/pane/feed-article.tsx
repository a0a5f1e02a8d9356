"use client";

import type { Message } from "@merkle/wire";
import { ChevronRight } from "lucide-react";
import { memo, type ReactNode, useCallback, useEffect, useRef } from "react";
import { TimeText } from "@/components/time-text";
import { lazyPart } from "@/core/lazy-part";
import { usePreference } from "@/core/preferences/use-preference";
import { cn } from "@/core/utils";
import { describeEvent } from "@/feed/store/describe-event";
import type { FeedRow } from "@/feed/store/feed-rows";
import { readKind } from "@/feed/store/message-text";
import type { Thread } from "@/feed/store/threads";
import { EventRow } from "./event-row";
import { MessageRow } from "./message-row";

// An empty area with the height of the replies, so that the layout does not shift when they load.
const placeholder = <div className="h-7 pointer-coarse:h-12" />;
const Replies = lazyPart(() => import("./replies"), "Replies", placeholder);
const ThreadLink = lazyPart(() => import("./replies"), "ThreadLink", placeholder);

export interface FeedArticleProps {
  readonly row: FeedRow;
  readonly index: number;
  readonly end: number;
  readonly answer: Message | undefined;
  /** True for the row that keyboard shortcuts act on. */
  readonly isCurrent: boolean;
  /** True if the row takes the focus, because a keyboard shortcut moved to it. */
  readonly shouldTakeFocus: boolean;
  /** True if the URL names this message. */
  readonly isLinked: boolean;
  /** Sequence of the reply that the URL names, if it belongs to this row. */
  readonly linkedReply: number | null;
  /** Whether the replies are expanded. */
  readonly isOpen: boolean;
  /** The thread that starts with this message. */
  readonly thread: Thread | undefined;
  readonly isFresh: boolean;
  readonly isRaw: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly actions: ArticleActions;
}

export interface ArticleActions {
  readonly onRaw: (message: Message) => void;
  readonly onUnfold: (messages: readonly Message[]) => void;
  readonly onReplies: (message: Message) => void;
  readonly onCatchUp: (() => void) | null;
  readonly onFocused: (key: string) => void;
}

/** A row of the feed, including the dividers above it. The dividers are inside because ARIA allows only articles in a feed. */
export const FeedArticle = memo(function FeedArticle(props: FeedArticleProps): ReactNode {
  const { row, index, end, answer, isCurrent, shouldTakeFocus, isLinked, isFresh, isRaw, measure, actions } =
    props;
  const { linkedReply, isOpen, thread } = props;
  const { first, messages, replies, isFirstOfDay, isFirstUnread } = row;
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shouldTakeFocus) article.current?.focus({ preventScroll: true });
  }, [shouldTakeFocus]);
  const attach = useCallback(
    (element: HTMLElement | null) => {
      article.current = element;
      measure(element);
    },
    [measure],
  );
  return (
    <article
      ref={attach}
      data-index={index}
      tabIndex={isCurrent ? 0 : -1}
      aria-posinset={first.sequence}
      aria-setsize={end}
      aria-current={isLinked || undefined}
      aria-label={describeRow(row)}
      data-sequence={first.sequence}
      onFocus={() => actions.onFocused(row.key)}
      className="group/article absolute inset-x-0 contain-[layout_style] outline-none"
    >
      {isFirstOfDay && <DayDivider at={first.posted_at} />}
      {isFirstUnread && <UnreadDivider at={first.posted_at} onCatchUp={actions.onCatchUp} />}
      <div
        data-slot="feed-row"
        className={cn(
          "mx-1 rounded-md px-1 py-[calc(var(--row-y)*0.6)] -outline-offset-2 outline-ring group-focus-visible/article:outline-2",
          isLinked && "bg-highlight",
          isFresh && toArrivalClasses(first),
        )}
      >
        {messages.length > 1 ? (
          <EventRun messages={messages} onShow={() => actions.onUnfold(messages)} />
        ) : first.type === "system" ? (
          <EventRow message={first} isRaw={isRaw} onRaw={actions.onRaw} />
        ) : (
          <>
            <MessageRow message={first} answer={answer} isRaw={isRaw} onRaw={actions.onRaw} />
            {replies.length > 0 ? (
              <Replies
                ask={first}
                replies={replies}
                isOpen={isOpen}
                linkedSequence={linkedReply}
                onToggle={actions.onReplies}
              />
            ) : (
              thread && <ThreadLink thread={thread} />
            )}
          </>
        )}
      </div>
    </article>
  );
});

/** Returns the classes for a new message: it slides in from below. Asks and decisions are also highlighted for a moment. */
function toArrivalClasses(message: Message): string {
  const highlight = {
    ask: "motion-safe:starting:bg-highlight",
    decision: "motion-safe:starting:bg-added",
    plain: "",
  };
  return cn(
    "motion-safe:transition-[opacity,translate,background-color] motion-safe:duration-180 motion-safe:ease-out motion-safe:starting:translate-y-1.5 motion-safe:starting:opacity-0",
    highlight[readKind(message)],
  );
}

function describeRow({ first, messages }: FeedRow): string {
  if (messages.length > 1) return `${messages.length} system events`;
  if (first.type === "system") return `Event ${first.sequence}`;
  return `Message ${first.sequence} from ${first.from?.team ?? "unknown"}`;
}

function UnreadDivider({ at, onCatchUp }: { readonly at: string; readonly onCatchUp: (() => void) | null }) {
  return (
    <div className="flex items-center gap-2 px-3 py-1 text-sm text-link">
      {/* The button is outside the separator, because screen readers skip the content of a separator. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot hold words. */}
      <div role="separator" aria-label="New messages" className="flex flex-1 items-center gap-2">
        <span aria-hidden className="h-px flex-1 bg-current opacity-50" />
        <span>
          New since <TimeText at={at} as="clock" />
        </span>
      </div>
      {onCatchUp && (
        <button
          type="button"
          onClick={onCatchUp}
          className="min-h-6 rounded-sm underline underline-offset-2 pointer-coarse:min-h-11"
        >
          Catch up
        </button>
      )}
      <span aria-hidden className="h-px flex-1 bg-current opacity-50" />
    </div>
  );
}

/** The divider at the start of a day. */
function DayDivider({ at }: { readonly at: string }) {
  const [time] = usePreference("time");
  const label = new Date(at).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    ...(time === "utc" ? { timeZone: "UTC" } : {}),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot hold words.
    <div
      role="separator"
      aria-label={label}
      className="flex items-center gap-2 px-3 py-1.5 text-sm text-muted-foreground"
    >
      <span aria-hidden className="h-px flex-1 bg-border" />
      {label}
      <span aria-hidden className="h-px flex-1 bg-border" />
    </div>
  );
}

interface EventRunProps {
  readonly messages: readonly Message[];
  readonly onShow: () => void;
}

/** A folded run of events on one line, which expands on click. */
function EventRun({ messages, onShow }: EventRunProps) {
  const [first, second] = messages.map((message) => describeEvent(message).text);
  const hiddenCount = messages.length - 2;
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onShow}
      className="flex min-h-6 w-full min-w-0 items-baseline gap-2 rounded-md ps-2 pe-13 pointer-coarse:pe-11 text-start text-sm text-muted-foreground hover:bg-raised hover:text-foreground pointer-coarse:min-h-11 pointer-coarse:items-center"
    >
      <ChevronRight aria-hidden className="size-3.5 shrink-0 self-center" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {messages.length} system events: {first}, {second}
        {hiddenCount > 0 && ` and ${hiddenCount} more`}
      </span>
      <span className="shrink-0 text-link">show</span>
    </button>
  );
}
