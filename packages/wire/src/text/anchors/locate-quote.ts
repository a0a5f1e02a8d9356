import { limits } from "../../core/limits.js";
import { plainLines, withLineEnd } from "../line-ends.js";
import { occurrences } from "./occurrences.js";

/** A place in a text, in UTF-16 units as JavaScript counts; `end` is behind its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A quote, and where it stands in the text of which that is known. */
export interface Anchored extends Span {
  /** As it was when it was marked. */
  readonly quote: string;
}

/** `exact`: stands where it stood, however much was put before it. `moved`: was cut and put in elsewhere, as it was. */
export interface Reanchored extends Span {
  readonly how: "exact" | "moved" | "reworded";
}

/** A quote, as precisely as somebody can give it. */
export interface Marked {
  readonly quote: string;
  /** The texts right before and behind it. */
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  /** Where it begins. */
  readonly start?: number | undefined;
}

/** Finds what somebody marked in the text that they saw, whatever its line ends, or says how many places it could be. */
export function locateQuote(original: string, marked: Marked): Span | { readonly matches: number } {
  const { quote: given, start: from } = marked;
  if (from !== undefined && original.startsWith(given, from))
    return { start: from, end: from + given.length };
  const { text, toOriginal } = plainLines(original);
  const [quote, prefix, suffix] = [given, marked.prefix ?? "", marked.suffix ?? ""].map((each) =>
    withLineEnd(each, "\n"),
  ) as [string, string, string]; // One for each.
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

/** Returns the texts right before and behind a place, never half of a sign. */
export function contextOf(text: string, { start, end }: Span): { prefix: string; suffix: string } {
  const units = limits.quoteContextCharsMax;
  return {
    prefix: text.slice(Math.max(0, start - units), start).replace(/^[\uDC00-\uDFFF]/, ""),
    suffix: text.slice(end, end + units).replace(/[\uD800-\uDBFF]$/, ""),
  };
}
