import { compareTexts } from "./compare-texts.js";
import { findKept, isKept } from "./find-kept.js";
import { findLines, findMoved } from "./find-moved.js";
import { findReworded } from "./find-reworded.js";
import type { Anchored, Reanchored } from "./locate-quote.js";

/**
 * Locates a passage of an earlier text in a newer one. Returns null unless the result is certain, because a
 * mark at a wrong position is worse than none (ANCHOR-1).
 */
export function reanchor(anchor: Anchored, before: string, after: string): Reanchored | null {
  return startReanchoring(before, after)(anchor);
}

/** Does the same for many passages of one text, which is compared only once. */
export function startReanchoring(before: string, after: string): (anchor: Anchored) => Reanchored | null {
  if (before === after) return ({ start, end }) => ({ start, end, how: "exact" });
  const texts = compareTexts(before, after);
  return (anchor) => {
    if (before.slice(anchor.start, anchor.end).trim() === "") return null;
    const found = findKept(texts, anchor) ?? findLines(texts, anchor);
    // A passage that was kept, but not with certainty, cannot be located elsewhere with certainty.
    if (found || isKept(texts, anchor)) return found;
    return findMoved(texts, anchor) ?? findReworded(texts, anchor);
  };
}
