import type { Texts } from "./compare-texts.js";
import type { Anchored, Span } from "./locate-quote.js";
import { similarity } from "./similarity.js";

/** A passage of this length does not occur by accident. */
export const tellingCharsMin = 24;
/** Minimum share of a changed passage that must have been kept or be similar. */
export const alikeMin = 0.8;
const alikeFirstMin = 0.6;

/**
 * True if a passage still resembles the original quote, so that many small changes cannot add up to a
 * different text.
 */
export function isLikeFirst({ after }: Texts, { quote }: Anchored, { start, end }: Span): boolean {
  return similarity(quote, after.slice(start, end)) >= alikeFirstMin;
}
