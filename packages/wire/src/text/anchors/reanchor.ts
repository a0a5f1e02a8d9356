import { compareTexts } from "./compare-texts.js";
import { findKept, isKept } from "./find-kept.js";
import { findLines, findMoved } from "./find-moved.js";
import { findRewordedSpan } from "./find-reworded.js";
import type { AnchoredQuote, ReanchoredSpan } from "./locate-quote.js";

/**
 * Finds a passage of an older text in a newer text. Returns null unless the result is certain, because a mark
 * at a wrong position is worse than no mark (ANCHOR-1).
 */
export function reanchor(anchor: AnchoredQuote, before: string, after: string): ReanchoredSpan | null {
  return startReanchoring(before, after)(anchor);
}

/**
 * Returns a function that finds passages of an older text in a newer one, like `reanchor`. The two texts are
 * compared only once.
 */
export function startReanchoring(
  before: string,
  after: string,
): (anchor: AnchoredQuote) => ReanchoredSpan | null {
  if (before === after) return ({ start, end }) => ({ start, end, how: "exact" });
  const texts = compareTexts(before, after);
  return (anchor) => {
    if (before.slice(anchor.start, anchor.end).trim() === "") return null;
    const found = findKept(texts, anchor) ?? findLines(texts, anchor);
    // If a passage was kept but is ambiguous, it cannot be found elsewhere with certainty.
    if (found || isKept(texts, anchor)) return found;
    return findMoved(texts, anchor) ?? findRewordedSpan(texts, anchor);
  };
}
