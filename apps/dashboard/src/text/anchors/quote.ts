import { limits } from "@merkle/wire/limits";
import type { SourceStretch } from "./page-places";

/** A stored place of a source: its text, and the text before and after it. */
export interface Quote {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
}

/** The quote of a stretch, without the blanks at its ends; null where nothing else is in it. */
export function quoteOf(source: string, { start, end }: SourceStretch): Quote | null {
  const text = source.slice(start, end);
  const quote = text.trim();
  if (quote === "") return null;
  const from = start + text.indexOf(quote);
  const to = from + quote.length;
  return {
    quote,
    prefix: wholeCharacters(source.slice(Math.max(0, from - limits.quoteContextCharsMax), from)),
    suffix: wholeCharacters(source.slice(to, to + limits.quoteContextCharsMax)),
    start: from,
  };
}

/** Without the half of a character that was cut in two. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
