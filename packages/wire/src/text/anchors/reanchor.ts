import { compareTexts } from "./compare-texts.js";
import { findKept, isKept } from "./find-kept.js";
import { findLines, findMoved } from "./find-moved.js";
import { findReworded } from "./find-reworded.js";
import type { Anchored, Reanchored } from "./locate-quote.js";

/**
 * Finds in a text what somebody marked in an earlier one, or returns null: what is not certain is lost, since a mark at a wrong
 * place is worse than none (ANCHOR-1).
 */
export function reanchor(anchor: Anchored, before: string, after: string): Reanchored | null {
  return startReanchoring(before, after)(anchor);
}

/** The same for many places of one text, which is compared once for all of them. */
export function startReanchoring(before: string, after: string): (anchor: Anchored) => Reanchored | null {
  if (before === after) return ({ start, end }) => ({ start, end, how: "exact" });
  const texts = compareTexts(before, after);
  return (anchor) => {
    if (before.slice(anchor.start, anchor.end).trim() === "") return null;
    const found = findKept(texts, anchor) ?? findLines(texts, anchor);
    // A place that was kept, but not for certain, is nowhere else for certain.
    if (found || isKept(texts, anchor)) return found;
    return findMoved(texts, anchor) ?? findReworded(texts, anchor);
  };
}
