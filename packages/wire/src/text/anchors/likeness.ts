import type { Texts } from "./compare-texts.js";
import type { Anchored, Span } from "./locate-quote.js";
import { similarity } from "./similarity.js";

/** A place so long does not stand somewhere by chance. */
export const tellingCharsMin = 24;
/** So much of a place that changed must have been kept, or be alike. */
export const alikeMin = 0.8;
const alikeFirstMin = 0.6;

/** Whether what was marked at first can still be seen in a place: many small changes must not add up to another text. */
export function isLikeFirst({ after }: Texts, { quote }: Anchored, { start, end }: Span): boolean {
  return similarity(quote, after.slice(start, end)) >= alikeFirstMin;
}
