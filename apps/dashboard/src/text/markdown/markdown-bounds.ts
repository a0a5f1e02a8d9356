/** Longer text is shown without formatting, because rendering it as markdown would block the page. */
export const markdownCharsMax = 32_000;

const quoteDepthMax = 30;
const openBracketsMax = 300;
const unbrokenCharsMax = 2_000;
const unbrokenLinksMax = 20;

/**
 * True if text can be rendered as markdown quickly. Parsers take quadratic time for deeply nested quotes, unclosed
 * brackets and long runs of links. Real messages do not contain these.
 */
export function isMarkdownRenderable(text: string): boolean {
  return (
    text.length <= markdownCharsMax && !isDeeplyQuoted(text) && !hasOpenBrackets(text) && !hasRunOfLinks(text)
  );
}

const deepQuote = new RegExp(`(?:^|\\n)[ \\t]*(?:(?:>|[-*+]|\\d{1,9}[.)])[ \\t]*){${quoteDepthMax},}`);

function isDeeplyQuoted(text: string): boolean {
  return deepQuote.test(text);
}

function hasOpenBrackets(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "[") open += 1;
    else if (character === "]" && open > 0) open -= 1;
    if (open > openBracketsMax) return true;
  }
  return false;
}

function hasRunOfLinks(text: string): boolean {
  if (text.length <= unbrokenCharsMax) return false;
  return text
    .split(/\s+/)
    .some(
      (run) =>
        run.length > unbrokenCharsMax && (run.match(/www\.|:\/\/|@/gi)?.length ?? 0) > unbrokenLinksMax,
    );
}
