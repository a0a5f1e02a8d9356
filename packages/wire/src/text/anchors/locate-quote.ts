import { limits } from "../../core/limits.js";
import { toPlainLines, withLineEnd } from "../line-ends.js";
import { findOccurrences } from "./occurrences.js";

/** A passage of text. Offsets are in UTF-16 units, as usual in JavaScript, and `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A quote, and the last known position of the quoted passage. */
export interface AnchoredQuote extends Span {
  /** The passage's text when it was first marked. */
  readonly quote: string;
}

/**
 * Where a passage was found again. `exact`: at its original position, apart from text inserted before it.
 * `moved`: cut and inserted elsewhere, but unchanged.
 */
export interface ReanchoredSpan extends Span {
  readonly how: "exact" | "moved" | "reworded";
}

/** A quote, with the context and position that the caller may know. */
export interface QuoteSelector {
  readonly quote: string;
  /** Text directly before the quote. `suffix` is the text directly after it. */
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  /** Offset at which the quote starts, if the caller knows it. */
  readonly start?: number | undefined;
}

/**
 * Finds the passage that a user has marked. Differences in line endings do not matter. If the quote does not
 * occur exactly once, returns the number of matches.
 */
export function locateQuote(original: string, selector: QuoteSelector): Span | { readonly matches: number } {
  const { quote: given, start: from } = selector;
  if (from !== undefined && original.startsWith(given, from))
    return { start: from, end: from + given.length };
  const { text, toOriginal } = toPlainLines(original);
  const [quote, prefix, suffix] = [given, selector.prefix ?? "", selector.suffix ?? ""].map((each) =>
    withLineEnd(each, "\n"),
  ) as [string, string, string]; // Maps three texts to three.
  const toOriginalSpan = (at: number) => ({ start: toOriginal(at), end: toOriginal(at + quote.length) });
  let matches = 0;
  let first = -1;
  for (const at of findOccurrences(text, quote)) {
    const isBeside = text.endsWith(prefix, at) && text.startsWith(suffix, at + quote.length);
    if (!isBeside) continue;
    matches++;
    if (first < 0) first = at;
  }
  return matches === 1 ? toOriginalSpan(first) : { matches };
}

/** Returns the text directly before and after a passage, without cutting a surrogate pair in half. */
export function extractContext(text: string, { start, end }: Span): { prefix: string; suffix: string } {
  const units = limits.quoteContextCharsMax;
  return {
    prefix: text.slice(Math.max(0, start - units), start).replace(/^[\uDC00-\uDFFF]/, ""),
    suffix: text.slice(end, end + units).replace(/[\uD800-\uDBFF]$/, ""),
  };
}
