import type { Texts } from "./compare-texts.js";
import type { AnchoredQuote, Span } from "./locate-quote.js";
import { computeSimilarity } from "./similarity.js";

/** A passage of at least this length does not occur twice by accident. */
export const distinctiveCharsMin = 24;
/** A passage counts as the same if at least this share of it was kept, or if the changed text is at least this similar. */
export const alikeMin = 0.8;
const alikeFirstMin = 0.6;

/**
 * Returns true if a passage still resembles the quote that was originally marked. This prevents many small
 * changes from adding up to a different text.
 */
export function isLikeFirst({ after }: Texts, { quote }: AnchoredQuote, { start, end }: Span): boolean {
  return computeSimilarity(quote, after.slice(start, end)) >= alikeFirstMin;
}
