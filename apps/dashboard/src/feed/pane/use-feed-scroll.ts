"use client";

import type { Message } from "@merkle/wire";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useCompose } from "@/feed/compose/compose-context";
import { type FeedRow, findRow } from "@/feed/store/feed-rows";
import type { FeedPosition, FeedState, FeedStore } from "@/feed/store/feed-store";
import type { RowRange } from "./markdown-prerenderer";
import { estimateHeight, findLastSeen, includeCurrent, isAbove, measureWhenObserved } from "./row-heights";
import { useMarkdownPrerendering } from "./use-markdown-prerendering";

export interface FeedScrollOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly store: FeedStore;
  readonly state: FeedState;
  readonly rows: readonly FeedRow[];
  /** Key of the row that stays rendered at any scroll position, so that it keeps the focus. */
  readonly currentKey: string | null;
  readonly onSeen: (sequence: number) => void;
  readonly unfold: (messages: readonly Message[]) => void;
}

/** The feed follows new rows while it is within this distance of the end. */
const followPx = 80;
/** The next page loads when this many rows remain before an edge. */
const pageAheadRows = 25;
const freshRowsMax = 5;
const topPx = 40;

/** Renders the rows near the screen, and keeps the reader's position while rows are added before and after. */
export function useFeedScroll(options: FeedScrollOptions) {
  const { scroller, store, state, rows, currentKey, onSeen, unfold } = options;
  const { window: feed, end, isLive, place } = state;
  /**
   * The sequence at the end of the feed when the reader scrolled away from the end. Null while the reader is at the
   * end.
   */
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const isFollowing = pausedAt === null;
  const wasLive = useRef(false);
  /** False while the feed scrolls to a position: rows that it passes do not count as read. */
  const isPlaced = useRef(false);
  /** The first visible row, and its distance from the top of the feed's pane. */
  const reading = useRef({ sequence: 0, top: 0 });
  const heightBefore = useRef(0);
  const prerenderAround = useMarkdownPrerendering();
  const currentIndex = currentKey === null ? -1 : rows.findIndex(({ key }) => key === currentKey);

  const virtualizer = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    // Memoised, because a new function would make the virtualizer compute all positions again, which takes a frame for
    // thousands of rows.
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    estimateSize: (index) => estimateHeight(rows[index]),
    measureElement: measureWhenObserved,
    // Rows render in the next frame. The overscan covers the gap until then.
    useFlushSync: false,
    overscan: 9,
    paddingStart: topPx,
    paddingEnd: 8,
    scrollPaddingStart: 72,
    anchorTo: "end",
    // Follows only new messages, not pages that are loaded on the way to the end.
    followOnAppend: isFollowing && wasLive.current && isLive,
    scrollEndThreshold: followPx,
    directDomUpdates: true,
    // Rows are positioned without transforms, because a transform would make each row a compositor layer.
    directDomUpdatesMode: "position",
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) =>
      includeCurrent(
        Math.max(0, startIndex - overscan),
        Math.min(count - 1, endIndex + overscan),
        currentIndex,
      ),
    onChange: () => update(),
  });
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { scrollOffset, itemSizeCache }) =>
    isAbove(item, scrollOffset ?? 0, itemSizeCache.has(item.key));

  /** Runs after each scroll, resize and change of the rows. */
  function update(): void {
    const { range } = virtualizer;
    if (range === null || rows.length === 0 || !isPlaced.current) return;
    // The on-screen keyboard or the timeline reduces the feed's height. A reader at the end stays at the end.
    if (wasResized() && isFollowing && isLive) return virtualizer.scrollToEnd();
    recordPosition(range);
    loadAround(range);
    reportSeen(range);
    prerenderAround(rows, range);
  }

  function wasResized(): boolean {
    const before = heightBefore.current;
    heightBefore.current = measureHeight();
    return before > 0 && before !== heightBefore.current;
  }

  function recordPosition({ startIndex }: RowRange): void {
    const first = rows[startIndex]?.first ?? null;
    const hasReachedEnd = isAtEnd();
    setPausedAt((before) => (hasReachedEnd ? null : (before ?? end)));
    store.reading = hasReachedEnd ? null : first;
    reading.current = { sequence: first?.sequence ?? 0, top: findTop(startIndex) };
  }

  function isAtEnd(): boolean {
    if (!isLive || feed.to < end) return false;
    const distance = (virtualizer.measurementsCache[rows.length - 1]?.end ?? 0) - measureBottom();
    // The virtualizer's own check forces a layout, so it runs only near the end and not on each scroll step.
    return distance <= followPx + measureHeight() && virtualizer.isAtEnd(followPx);
  }

  function loadAround({ startIndex, endIndex }: RowRange): void {
    if (startIndex < pageAheadRows && state.older.problem === null) void store.loadOlder();
    if (isLive || state.newer.problem !== null) return;
    if (endIndex > rows.length - pageAheadRows) void store.loadNewer();
  }

  function reportSeen(range: RowRange): void {
    const lastRow = rows[findLastSeen(virtualizer.measurementsCache, range, measureBottom())];
    const sequence = lastRow?.messages.at(-1)?.sequence;
    if (sequence !== undefined) onSeen(sequence);
  }

  function measureHeight(): number {
    return virtualizer.scrollRect?.height ?? 0;
  }

  function measureBottom(): number {
    return (virtualizer.scrollOffset ?? 0) + measureHeight();
  }

  function findTop(index: number): number {
    return (virtualizer.measurementsCache[index]?.start ?? 0) - (virtualizer.scrollOffset ?? 0);
  }

  useLayoutEffect(() => {
    wasLive.current = isLive;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows change what is on the screen.
  useEffect(() => update(), [rows, state]);

  usePlacing({ place, hasRows: rows.length > 0, isPlaced, scrollTo, update });

  function scrollTo({ at, as }: FeedPosition): void {
    if (at === "end") return virtualizer.scrollToEnd();
    const index = findRow(rows, at);
    if (as === "kept" && at === reading.current.sequence) {
      // The rows were reloaded: return the first visible row to its previous offset.
      return virtualizer.scrollBy(findTop(index) - reading.current.top);
    }
    if (as === "asked") unfoldTo(rows[index], at);
    virtualizer.scrollToIndex(index, { align: as === "asked" ? "center" : "start" });
  }

  function unfoldTo(row: FeedRow | undefined, at: number): void {
    const isFolded = row && (row.messages.length > 1 || row.replies.some(({ sequence }) => sequence === at));
    if (isFolded) unfold(row.messages);
  }

  const toEnd = useCallback(() => {
    setPausedAt(null);
    void store.open({ at: "end", as: "kept" });
  }, [store]);
  useFollowOwn(toEnd);

  return {
    virtualizer,
    isFollowing,
    newCount: pausedAt === null ? 0 : Math.max(0, end - pausedAt),
    freshAfter: useFreshAfter(end, isFollowing),
    firstVisible: () => virtualizer.range?.startIndex ?? 0,
    toEnd,
  };
}

interface PlacingOptions {
  /** The position that the feed was opened at. */
  readonly place: FeedPosition | null;
  readonly hasRows: boolean;
  readonly isPlaced: RefObject<boolean>;
  readonly scrollTo: (place: FeedPosition) => void;
  readonly update: () => void;
}

/**
 * Scrolls to each new position once rows exist. Rows are measured two frames later, and from then on the reader controls the
 * position.
 */
function usePlacing({ place, hasRows, isPlaced, scrollTo, update }: PlacingOptions): void {
  const lastPlaced = useRef<FeedPosition | null>(null);
  const latestUpdate = useRef(update);
  useEffect(() => {
    latestUpdate.current = update;
  });
  useLayoutEffect(() => {
    if (place === null || lastPlaced.current === place || !hasRows) return;
    lastPlaced.current = place;
    isPlaced.current = false;
    scrollTo(place);
    runAfterFrames(2, () => {
      isPlaced.current = true;
      latestUpdate.current();
    });
  });
}

function runAfterFrames(count: number, run: () => void): void {
  if (count === 0) run();
  else requestAnimationFrame(() => runAfterFrames(count - 1, run));
}

/** Scrolls to the end after the user posts a message. */
function useFollowOwn(toEnd: () => void): void {
  const { onPosted } = useCompose();
  useEffect(() => onPosted(() => toEnd()), [onPosted, toEnd]);
}

/** Returns the sequence after which rows fade in. Rows fade in only while the feed follows, and only a few at a time. */
function useFreshAfter(end: number, isFollowing: boolean): number {
  const ends = useRef({ end, before: end });
  if (ends.current.end !== end) ends.current = { end, before: ends.current.end };
  const { before } = ends.current;
  return isFollowing && end - before <= freshRowsMax ? before : Number.POSITIVE_INFINITY;
}
