"use client";

import type { Message } from "@merkle/wire";
import { ArrowDown } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { toProblem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { usePreference } from "@/core/preferences/use-preference";
import { describeClock } from "@/core/time/describe-time";
import { findAnswers, toRows } from "@/feed/store/feed-rows";
import type { FeedState, FeedStore } from "@/feed/store/feed-store";
import type { Thread } from "@/feed/store/threads";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { type ArticleActions, FeedArticle } from "./feed-article";
import { useFeedKeys } from "./use-feed-keys";
import { useFeedScroll } from "./use-feed-scroll";
import type { ReadTracker } from "./use-reading";

export interface FeedListProps {
  readonly store: FeedStore;
  readonly state: FeedState;
  readonly linkedSequence: number | null;
  readonly reading: ReadTracker;
  readonly onCatchUp: (() => void) | null;
  /** Whether replies are folded into their asks. False while a filter is active, so that every match is visible. */
  readonly canFold: boolean;
  /** Threads by the sequence of their first message. */
  readonly threads: ReadonlyMap<number, Thread>;
}

/** The virtualised rows of the feed. They scroll natively, follow new messages at the end, and never move the row being read. */
export function FeedList({
  store,
  state,
  linkedSequence,
  reading,
  onCatchUp,
  canFold,
  threads,
}: FeedListProps) {
  const { myTeamId } = useSession();
  const { window: feed, end, older, newer, refreshedAt } = state;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [raw, setRaw] = useState<ReadonlySet<string>>(new Set());
  const toDay = useDayOf();
  const { readUpTo } = reading;
  // A returning reader sees new replies in their own rows. Replies that arrive later also keep their rows.
  const [initialReadUpTo] = useState(() => readUpTo ?? end);
  const [standaloneIds] = useState(() => new Set<string>());
  const foldUpTo = canFold ? initialReadUpTo : null;
  const rows = useMemo(
    () => toRows(feed.messages, { unfolded, foldUpTo, standaloneIds, readUpTo, myTeamId, toDay }),
    [feed.messages, unfolded, foldUpTo, standaloneIds, readUpTo, myTeamId, toDay],
  );
  const answers = useMemo(() => findAnswers(feed.messages), [feed.messages]);
  const [current, setCurrent] = useState<{ key: string; isWanted: boolean } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const unfold = useCallback(
    (messages: readonly Message[]) =>
      setUnfolded((before) => new Set([...before, ...messages.map(({ id }) => id)])),
    [],
  );
  const scroll = useFeedScroll({
    scroller,
    store,
    state,
    rows,
    currentKey: current?.key ?? null,
    onSeen: reading.markSeen,
    unfold,
  });
  const { virtualizer, isFollowing, newCount, freshAfter, toEnd } = scroll;

  const showRaw = useCallback(
    ({ id }: Message) =>
      setRaw((before) =>
        before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
      ),
    [],
  );
  const toggleReplies = useCallback(
    ({ id }: Message) =>
      setUnfolded((before) =>
        before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
      ),
    [],
  );
  const actions = useMemo<ArticleActions>(
    () => ({
      onRaw: showRaw,
      onUnfold: unfold,
      onReplies: toggleReplies,
      onCatchUp,
      onFocused: (key) => setCurrent((before) => (before?.key === key ? before : { key, isWanted: false })),
    }),
    [showRaw, unfold, toggleReplies, onCatchUp],
  );
  const onKeyDown = useFeedKeys({
    rows,
    currentKey: current?.key ?? null,
    getFirstVisible: scroll.firstVisible,
    goTo: (index) => {
      const row = rows[index];
      if (!row) return;
      virtualizer.scrollToIndex(index, { align: "auto" });
      setCurrent({ key: row.key, isWanted: true });
    },
    onEnd: toEnd,
    onRaw: showRaw,
    onReplies: toggleReplies,
  });

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {refreshedAt && <RefreshedNote at={refreshedAt} />}
      <div
        ref={scroller}
        role="feed"
        aria-label="Messages"
        aria-busy={older.loading || newer.loading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keys.
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain [overflow-anchor:none] -outline-offset-2"
      >
        <div ref={virtualizer.containerRef} className="relative mx-auto w-full max-w-240">
          <FeedTop isBeginning={feed.from <= 1} />
          {virtualizer.getVirtualItems().map(({ index }) => {
            const row = rows[index];
            if (!row) return null;
            const isCurrent = row.key === current?.key;
            return (
              <FeedArticle
                key={row.key}
                row={row}
                index={index}
                end={end}
                answer={answers.get(row.first.sequence)}
                isCurrent={isCurrent}
                shouldTakeFocus={isCurrent && current.isWanted}
                isLinked={
                  linkedSequence !== null && row.messages.some(({ sequence }) => sequence === linkedSequence)
                }
                linkedReply={
                  row.replies.some(({ sequence }) => sequence === linkedSequence) ? linkedSequence : null
                }
                isOpen={unfolded.has(row.key)}
                thread={canFold ? threads.get(row.first.sequence) : undefined}
                isFresh={row.first.sequence > freshAfter}
                isRaw={raw.has(row.key)}
                measure={virtualizer.measureElement}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
      {older.problem !== null && (
        <div className="absolute inset-x-0 top-0 z-10 flex min-h-10 flex-wrap items-center justify-center gap-2 border-b bg-surface px-3 py-1 text-sm">
          Couldn't load older messages.
          <Button variant="outline" size="sm" onClick={() => void store.loadOlder()}>
            Retry
          </Button>
        </div>
      )}
      {newer.problem !== null && (
        <ProblemAlert
          title="Couldn't load newer messages."
          problem={toProblem(newer.problem)}
          isStale
          onRetry={() => void store.open({ at: store.reading?.sequence ?? "end", as: "kept" })}
          className="m-2"
        />
      )}
      {!isFollowing && <NewPill count={newCount} onEnd={toEnd} />}
    </div>
  );
}

/**
 * The line above the first row: either the start of the session, or a note that older messages are loading. Its height is
 * constant.
 */
function FeedTop({ isBeginning }: { readonly isBeginning: boolean }) {
  return (
    <div className="absolute inset-x-0 top-0 flex h-10 items-center justify-center px-3 text-sm text-muted-foreground">
      {isBeginning ? "Start of session" : "Older messages…"}
    </div>
  );
}

function RefreshedNote({ at }: { readonly at: Date }) {
  const [isClosed, setClosed] = useState<Date | null>(null);
  if (isClosed === at) return null;
  return (
    <p
      role="status"
      className="flex items-center justify-between gap-2 border-b bg-surface px-3 py-1 text-sm"
    >
      Reloaded at {describeClock(at)}: the broker's database was restored.
      <Button variant="ghost" size="sm" onClick={() => setClosed(at)}>
        Close
      </Button>
    </p>
  );
}

/** Shows the number of new messages while the feed does not follow them. Clicking it scrolls to the end. */
function NewPill({ count, onEnd }: { readonly count: number; readonly onEnd: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 z-10 flex justify-center">
      <Button
        variant="outline"
        size="sm"
        title="Jump to latest  E"
        className="pointer-events-auto rounded-full bg-background px-3 shadow-md tabular-nums"
        onClick={onEnd}
      >
        <ArrowDown aria-hidden />
        {count > 0 && `${count.toLocaleString("en")} new · `}
        Jump to latest
      </Button>
    </div>
  );
}

/** Returns a function that names the day of a timestamp, in the local time zone or in UTC. Caches one name per ten minutes. */
function useDayOf(): (at: string) => string {
  const [time] = usePreference("time");
  return useMemo(() => {
    if (time === "utc") return (at) => at.slice(0, 10);
    const dayByTenMinutes = new Map<string, string>();
    return (at) => {
      // Days begin at a boundary of ten minutes in every zone, except UTC+5:45 and UTC+12:45.
      const tenMinutes = at.slice(0, 15);
      const cached = dayByTenMinutes.get(tenMinutes);
      if (cached !== undefined) return cached;
      const day = new Date(at).toDateString();
      dayByTenMinutes.set(tenMinutes, day);
      return day;
    };
  }, [time]);
}
