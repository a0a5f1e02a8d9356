import { isRedacted, type Message, type OutputOf, type RedactedMessage, withoutText } from "@merkle/wire";

export type HistoryPage = OutputOf<"get_history">;

/**
 * A contiguous part of a feed: all messages from `from` to `to` that match the filter. Messages outside this range have not been
 * read.
 */
export interface FeedWindow {
  readonly messages: readonly Message[];
  /** The lowest sequence read. 1 at the beginning of the feed. */
  readonly from: number;
  /** The highest sequence read. 0 for an empty feed. */
  readonly to: number;
}

export const emptyWindow: FeedWindow = { messages: [], from: 1, to: 0 };

/**
 * The maximum number of messages in a window. Adding more drops messages at the opposite end, so that hours of
 * scrolling do not fill the memory.
 */
export const windowMessagesMax = 20_000;

export function toWindow(page: HistoryPage): FeedWindow {
  return {
    messages: page.messages,
    from: page.next_cursor ?? 1,
    to: page.newer_cursor ?? page.last_sequence,
  };
}

/** Adds the page before the window. Skips messages that the window already contains. */
export function addOlder(window: FeedWindow, page: HistoryPage): FeedWindow {
  const older = page.messages.filter(({ sequence }) => sequence < window.from);
  const messages = older.length === 0 ? window.messages : [...older, ...window.messages];
  const from = Math.min(window.from, page.next_cursor ?? 1);
  const retained = messages.slice(0, windowMessagesMax);
  const to = retained.length < messages.length ? findLastSequence(retained) : window.to;
  return { messages: retained, from, to };
}

/** Adds the page after the window. Skips messages that already arrived live. */
export function addNewer(window: FeedWindow, page: HistoryPage): FeedWindow {
  return addLater(window, page.messages, page.newer_cursor ?? page.last_sequence);
}

/** Adds live messages that directly follow the window. Returns the same window if there is a gap. */
export function addLive(window: FeedWindow, messages: readonly Message[]): FeedWindow {
  const next = messages.filter(({ sequence }) => sequence > window.to);
  if (next.length === 0 || next[0]?.sequence !== window.to + 1) return window;
  return addLater(window, next, findLastSequence(next));
}

/** Returns the window without the text of redacted messages. Returns the same window if nothing changes. */
export function removeTexts(window: FeedWindow, redacted: ReadonlyMap<number, RedactedMessage>): FeedWindow {
  const replacements = new Map<number, Message>();
  for (const { sequence, redaction } of redacted.values()) {
    if (!isCovered(window, sequence)) continue;
    const index = findPosition(window.messages, sequence);
    const message = window.messages[index];
    if (message?.sequence === sequence && !isRedacted(message))
      replacements.set(index, withoutText(message, redaction));
  }
  if (replacements.size === 0) return window;
  return { ...window, messages: window.messages.map((message, index) => replacements.get(index) ?? message) };
}

/** Returns the index of a message in an ordered list, or the index to insert it at. */
function findPosition(messages: readonly Message[], sequence: number): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.sequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns how many messages of the window's range the filter hides. */
export function countHidden({ messages, from, to }: FeedWindow): number {
  return Math.max(0, to - from + 1 - messages.length);
}

export function isCovered({ from, to }: FeedWindow, sequence: number): boolean {
  return sequence >= from && sequence <= to;
}

function addLater(window: FeedWindow, messages: readonly Message[], readTo: number): FeedWindow {
  const later = messages.filter(({ sequence }) => sequence > window.to);
  const to = Math.max(window.to, readTo);
  const all = later.length === 0 ? window.messages : [...window.messages, ...later];
  const retained = all.slice(-windowMessagesMax);
  const from = retained.length < all.length ? (retained[0]?.sequence ?? window.from) : window.from;
  return { messages: retained, from, to };
}

function findLastSequence(messages: readonly Message[]): number {
  return messages.at(-1)?.sequence ?? 0;
}
