import { limits } from "@merkle/wire/limits";
import type { Entry } from "./entry.js";

/** How many bytes all rings of a broker may hold together. */
export interface RingBudget {
  bytes: number;
}

/** The last messages of one feed, without gaps, within a bound of bytes. */
export interface Ring {
  /** The oldest sequence that it holds; beyond the head when it is empty. */
  readonly first: number;
  push(entry: Entry): void;
  /** The entries after a sequence, or null when some of them are no longer here. Readers at one place get one list. */
  after(sequence: number): readonly Entry[] | null;
  /** Drops what it holds up to a sequence: whoever needs it reads the feed. */
  forget(upTo: number): void;
  clear(): void;
}

export function createRing(head: number, budget: RingBudget): Ring {
  let entries: Entry[] = [];
  let first = head + 1;
  let bytes = 0;
  // Nearly all readers stand at the same place, and ask one after the other.
  let lastAnswer: { sequence: number; entries: readonly Entry[] } | null = null;

  function dropOldest(): void {
    const oldest = entries.shift();
    if (!oldest) return;
    bytes -= oldest.bytes;
    budget.bytes -= oldest.bytes;
    first = oldest.sequence + 1;
  }

  return {
    get first() {
      return first;
    },
    push(entry) {
      lastAnswer = null;
      entries.push(entry);
      bytes += entry.bytes;
      budget.bytes += entry.bytes;
      while (entries.length > 1 && bytes > limits.ringBytesPerSessionMax) dropOldest();
      // Other sessions' rings keep what they have: this one makes room, and readers that are behind read the feed.
      while (entries.length > 0 && budget.bytes > limits.ringBytesTotalMax) dropOldest();
    },
    after(sequence) {
      if (sequence + 1 < first) return null;
      if (lastAnswer?.sequence !== sequence) {
        lastAnswer = { sequence, entries: entries.slice(sequence + 1 - first) };
      }
      return lastAnswer.entries;
    },
    forget(upTo) {
      lastAnswer = null;
      while (entries.length > 0 && first <= upTo) dropOldest();
    },
    clear() {
      budget.bytes -= bytes;
      first += entries.length;
      lastAnswer = null;
      entries = [];
      bytes = 0;
    },
  };
}
