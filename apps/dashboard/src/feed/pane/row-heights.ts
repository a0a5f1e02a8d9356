import type { Message } from "@merkle/wire";
import type { VirtualItem, Virtualizer } from "@tanstack/react-virtual";
import type { FeedRow } from "@/feed/store/feed-rows";
import { splitFiles } from "@/feed/store/message-files";
import { readMessageText } from "@/feed/store/message-text";

/** Returns the indexes of the rows to render: the visible range and the current row. */
export function includeCurrent(start: number, end: number, current: number): number[] {
  const indexes = Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
  if (current < 0 || (current >= start && current <= end)) return indexes;
  return current < start ? [current, ...indexes] : [...indexes, current];
}

/** True if a row whose height changes is above the screen. An unmeasured row counts if it starts above the screen. */
export function isAbove({ start, end }: VirtualItem, offset: number, isKnown: boolean): boolean {
  return isKnown ? end <= offset : start < offset;
}

/** Returns the index of the last row that ends on the screen, or of the first row if that is taller than the screen. */
export function findLastSeen(
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
 * Returns a row's height as its resize observer reports it. The observer reports all new rows together, before they are painted.
 * Measuring each row as it is added would force one layout per row.
 */
export function measureWhenObserved(
  row: HTMLElement,
  observed: ResizeObserverEntry | undefined,
  { indexFromElement, itemSizeCache, options }: Virtualizer<HTMLDivElement, HTMLElement>,
): number {
  const [box] = observed?.borderBoxSize ?? [];
  if (box) return Math.round(box.blockSize);
  const index = indexFromElement(row);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
}

/** Cached, because each height change requires the estimates of all unmeasured rows below. */
const estimates = new WeakMap<Message, number>();

/** Estimates the height of a row. The guess is close enough that the scroll bar does not jump when the row is measured. */
export function estimateHeight(row: FeedRow | undefined): number {
  if (!row) return 48;
  if (row.first.type === "system") return 32;
  const cached = estimates.get(row.first);
  if (cached !== undefined) return cached;
  const lines = readMessageText(row.first)
    .slice(0, 4_000)
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 90)), 0);
  const { images, others } = splitFiles(row.first);
  const height = 32 + 20 * Math.min(30, lines) + (images.length > 0 ? 160 : 0) + 36 * others.length;
  estimates.set(row.first, height);
  return height;
}
