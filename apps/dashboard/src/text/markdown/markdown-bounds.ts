/** Beyond this a text is shown as it was written: laying it out would hold up the page. */
export const markdownCharsMax = 32_000;

const quoteDepthMax = 30;
const openBracketsMax = 300;
const unbrokenCharsMax = 2_000;
const unbrokenLinksMax = 20;

/**
 * Whether a text can be laid out as markdown within a moment. Parsers need time that grows with the square of some texts:
 * deep quotes, brackets never closed, addresses run together; such texts are not written for readers.
 */
export function isMarkdownLayable(text: string): boolean {
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
