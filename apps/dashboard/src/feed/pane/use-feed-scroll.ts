"use client";

import type { Message } from "@merkle/wire";
import { useVirtualizer, type VirtualItem, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useCompose } from "@/feed/compose/compose-context";
import { type FeedRow, findRow } from "@/feed/store/feed-rows";
import type { FeedState, FeedStore, Place } from "@/feed/store/feed-store";
import { textOf } from "@/feed/store/message-text";
import { useLaidOutAhead } from "./use-laid-out-ahead";

export interface FeedScrollOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly store: FeedStore;
  readonly state: FeedState;
  readonly rows: readonly FeedRow[];
  /** Stays in the page wherever it is scrolled to, so that it keeps the focus. */
  readonly currentKey: string | null;
  readonly onSeen: (sequence: number) => void;
  readonly unfold: (messages: readonly Message[]) => void;
}

/** Within so many pixels of the end new rows are followed. */
const followPx = 80;
/** So many rows before an edge the next page is asked for. */
const pageAheadRows = 25;
const freshRowsMax = 5;
const topPx = 40;

/** Keeps the rows that are near the screen, and the reader's place among them, whatever comes before and after it. */
export function useFeedScroll(options: FeedScrollOptions) {
  const { scroller, store, state, rows, currentKey, onSeen, unfold } = options;
  const { window: feed, end, isLive, place } = state;
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const isFollowing = pausedAt === null;
  const wasLive = useRef(false);
  /** False until a scroll to a place has been carried out: what is seen on the way is not where the reader is. */
  const isPlaced = useRef(false);
  /** The row that is being read, and where on the screen it begins. */
  const reading = useRef({ sequence: 0, top: 0 });
  const heightSeen = useRef(0);
  const layOutAround = useLaidOutAhead();
  const currentIndex = currentKey === null ? -1 : rows.findIndex(({ key }) => key === currentKey);

  const virtualizer = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    // With another function the places of all rows are worked out anew, which for thousands of them takes a frame.
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    estimateSize: (index) => estimateHeight(rows[index]),
    measureElement: measureWhenObserved,
    // Drawn with the next frame at the latest: the rows beyond the screen are there for as long.
    useFlushSync: false,
    overscan: 9,
    paddingStart: topPx,
    paddingEnd: 8,
    scrollPaddingStart: 72,
    anchorTo: "end",
    // A page that was read on is not followed: only what is said while one stands at the end.
    followOnAppend: isFollowing && wasLive.current && isLive,
    scrollEndThreshold: followPx,
    directDomUpdates: true,
    // Moved instead, each row would be a layer of its own for the compositor.
    directDomUpdatesMode: "position",
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) =>
      withCurrent(Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan), currentIndex),
    onChange: () => look(),
  });
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { scrollOffset, itemSizeCache }) =>
    isAbove(item, scrollOffset ?? 0, itemSizeCache.has(item.key));

  /** Takes note of where the reader is, and asks for what will be read next. */
  function look(): void {
    const range = virtualizer.range;
    if (range === null || rows.length === 0 || !isPlaced.current) return;
    const height = virtualizer.scrollRect?.height ?? 0;
    const isResized = heightSeen.current > 0 && heightSeen.current !== height;
    heightSeen.current = height;
    // A keyboard that opens and a timeline that unfolds take room from the feed: who was at its end stays there.
    if (isResized && isFollowing && isLive) return virtualizer.scrollToEnd();
    const bottom = (virtualizer.scrollOffset ?? 0) + height;
    const distance = (virtualizer.measurementsCache[rows.length - 1]?.end ?? 0) - bottom;
    // Asking the element lays the page out anew, so far from the end, where every step of a scroll would, it is not asked.
    const mayBeAtEnd = isLive && feed.to >= end && distance <= followPx + height;
    const atEnd = mayBeAtEnd && virtualizer.isAtEnd(followPx);
    setPausedAt((before) => (atEnd ? null : (before ?? end)));
    const first = rows[range.startIndex]?.first ?? null;
    store.reading = atEnd ? null : first;
    reading.current = { sequence: first?.sequence ?? 0, top: topOf(range.startIndex) };
    if (range.startIndex < pageAheadRows && state.older.problem === null) void store.loadOlder();
    if (range.endIndex > rows.length - pageAheadRows && !isLive && state.newer.problem === null)
      void store.loadNewer();
    const last = lastSeen(virtualizer.measurementsCache, range, bottom);
    const seen = rows[last]?.messages.at(-1)?.sequence;
    if (seen !== undefined) onSeen(seen);
    layOutAround(rows, range);
  }

  useLayoutEffect(() => {
    wasLive.current = isLive;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what there is to see changes with the rows.
  useEffect(() => look(), [rows, state]);

  const toEnd = useCallback(() => {
    setPausedAt(null);
    void store.open({ at: "end", as: "kept" });
  }, [store]);

  const latestLook = useRef(look);
  useEffect(() => {
    latestLook.current = look;
  });
  const placed = useRef<Place | null>(null);
  useLayoutEffect(() => {
    if (place === null || placed.current === place || rows.length === 0) return;
    placed.current = place;
    isPlaced.current = false;
    scrollTo(place);
    afterFrames(2, () => {
      isPlaced.current = true;
      latestLook.current();
    });
  });

  function topOf(index: number): number {
    return (virtualizer.measurementsCache[index]?.start ?? 0) - (virtualizer.scrollOffset ?? 0);
  }

  function scrollTo({ at, as }: Place): void {
    if (at === "end") return virtualizer.scrollToEnd();
    const index = findRow(rows, at);
    const row = rows[index];
    if (as === "kept" && at === reading.current.sequence) {
      // Read anew, it stands where it stood.
      return virtualizer.scrollBy(topOf(index) - reading.current.top);
    }
    const isFolded = row && (row.messages.length > 1 || row.replies.some(({ sequence }) => sequence === at));
    if (isFolded && as === "asked") unfold(row.messages);
    virtualizer.scrollToIndex(index, { align: as === "asked" ? "center" : "start" });
  }

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

function afterFrames(count: number, run: () => void): void {
  if (count === 0) run();
  else requestAnimationFrame(() => afterFrames(count - 1, run));
}

/** Leads to the end of the feed after a message of my own, from wherever in the feed I was: I want to see it. */
function useFollowOwn(toEnd: () => void): void {
  const { onPosted } = useCompose();
  useEffect(() => onPosted(() => toEnd()), [onPosted, toEnd]);
}

/** After which message rows fade in: only while following, and when a few come at once. */
function useFreshAfter(end: number, isFollowing: boolean): number {
  const known = useRef({ end, before: end });
  if (known.current.end !== end) known.current = { end, before: known.current.end };
  const { before } = known.current;
  return isFollowing && end - before <= freshRowsMax ? before : Number.POSITIVE_INFINITY;
}

function withCurrent(start: number, end: number, current: number): number[] {
  const shown = Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
  if (current < 0 || (current >= start && current <= end)) return shown;
  return current < start ? [current, ...shown] : [...shown, current];
}

/** A row grows above what is read when it lies above it; one that is measured first also when it only begins there. */
function isAbove({ start, end }: VirtualItem, offset: number, isKnown: boolean): boolean {
  return isKnown ? end <= offset : start < offset;
}

/** The last row whose end is on the screen; one that is higher than the screen counts while it fills it. */
function lastSeen(
  items: readonly VirtualItem[],
  { startIndex, endIndex }: { startIndex: number; endIndex: number },
  bottom: number,
): number {
  for (let index = endIndex; index > startIndex; index -= 1) {
    const item = items[index];
    if (item && item.end <= bottom + 4) return index;
  }
  return startIndex;
}

/**
 * The height that its observer tells of a row, which for all new rows is one look before they are painted. Measured each as
 * it is put in, they would have the page laid out as often as there are rows.
 */
function measureWhenObserved(
  row: HTMLElement,
  observed: ResizeObserverEntry | undefined,
  { indexFromElement, itemSizeCache, options }: Virtualizer<HTMLDivElement, HTMLElement>,
): number {
  const [box] = observed?.borderBoxSize ?? [];
  if (box) return Math.round(box.blockSize);
  const index = indexFromElement(row);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
}

/** Asked for every row that was never drawn whenever one above it changes its height. */
const estimates = new WeakMap<Message, number>();

/** Near enough that the scroll bar does not jump when the row is measured. */
function estimateHeight(row: FeedRow | undefined): number {
  if (!row) return 48;
  if (row.first.type === "system") return 32;
  const known = estimates.get(row.first);
  if (known !== undefined) return known;
  const lines = textOf(row.first)
    .slice(0, 4_000)
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 90)), 0);
  const height = 32 + 20 * Math.min(30, lines);
  estimates.set(row.first, height);
  return height;
}
