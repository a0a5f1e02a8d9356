import { limits } from "../../core/limits.js";
import { plainLines, withLineEnd } from "../line-ends.js";
import { occurrences } from "./occurrences.js";

/** A passage of a text in UTF-16 units, as in JavaScript. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A quote, and its last known position in a text. */
export interface Anchored extends Span {
  /** The text at the time when it was quoted. */
  readonly quote: string;
}

/**
 * `exact`: at its original position, apart from text inserted before it. `moved`: cut and inserted elsewhere,
 * unchanged.
 */
export interface Reanchored extends Span {
  readonly how: "exact" | "moved" | "reworded";
}

/** A quote with the details that the caller has. */
export interface Marked {
  readonly quote: string;
  /** Text directly before and after the quote. */
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  /** Start of the quote. */
  readonly start?: number | undefined;
}

/**
 * Finds the passage that a user marked, regardless of line endings. Returns the number of matches if it is
 * not unique.
 */
export function locateQuote(original: string, marked: Marked): Span | { readonly matches: number } {
  const { quote: given, start: from } = marked;
  if (from !== undefined && original.startsWith(given, from))
    return { start: from, end: from + given.length };
  const { text, toOriginal } = plainLines(original);
  const [quote, prefix, suffix] = [given, marked.prefix ?? "", marked.suffix ?? ""].map((each) =>
    withLineEnd(each, "\n"),
  ) as [string, string, string]; // Maps three texts to three.
  const spanAt = (at: number) => ({ start: toOriginal(at), end: toOriginal(at + quote.length) });
  let matches = 0;
  let first = -1;
  for (const at of occurrences(text, quote)) {
    const isBeside = text.endsWith(prefix, at) && text.startsWith(suffix, at + quote.length);
    if (!isBeside) continue;
    matches++;
    if (first < 0) first = at;
  }
  return matches === 1 ? spanAt(first) : { matches };
}

/** Returns the text directly before and after a passage, without splitting surrogate pairs. */
export function contextOf(text: string, { start, end }: Span): { prefix: string; suffix: string } {
  const units = limits.quoteContextCharsMax;
  return {
    prefix: text.slice(Math.max(0, start - units), start).replace(/^[\uDC00-\uDFFF]/, ""),
    suffix: text.slice(end, end + units).replace(/[\uD800-\uDBFF]$/, ""),
  };
}
