import { limits } from "@merkle/wire/limits";
import type { SourceRange } from "./page-places";

/** A stored position in the source text: the quoted passage, and the text before and after it. */
export interface SourceQuote {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
}

/** Returns the quote for a source range, without surrounding white space. Null if the range contains only white space. */
export function toQuote(source: string, { start, end }: SourceRange): SourceQuote | null {
  const text = source.slice(start, end);
  const quote = text.trim();
  if (quote === "") return null;
  const from = start + text.indexOf(quote);
  const to = from + quote.length;
  return {
    quote,
    prefix: cutToCharacters(source.slice(Math.max(0, from - limits.quoteContextCharsMax), from)),
    suffix: cutToCharacters(source.slice(to, to + limits.quoteContextCharsMax)),
    start: from,
  };
}

/** Drops half of a surrogate pair at either end, left by cutting the text. */
function cutToCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
