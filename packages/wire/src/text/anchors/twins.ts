import type { SimilarityQuery } from "./changed-lines.js";
import { expandToLines, findVisibleLines, type Texts } from "./compare-texts.js";
import type { Span } from "./locate-quote.js";

/**
 * Returns true if changed lines elsewhere in either text resemble the lines of a passage, so that it is
 * uncertain which old line became which new line. Unchanged lines are not considered.
 */
export function hasTwin(texts: Texts, anchor: Span, place: Span): boolean {
  const { before, after } = texts;
  const [own, found] = [expandToLines(before, anchor), expandToLines(after, place)];
  return (
    texts.getChangedLines("after").hasSimilar(toSimilarityQuery(before, own, anchor), found) ||
    texts.getChangedLines("before").hasSimilar(toSimilarityQuery(after, found, place), own)
  );
}

/**
 * Returns true if a passage has several lines and any of them resembles a changed line elsewhere in either
 * text. Such a line may be the edited version of the other, regardless of the lines around them. Also returns
 * true if the lines cannot be matched one by one, or not within the budget for comparisons.
 */
export function hasTwinOfLine(texts: Texts, anchor: Span, place: Span): boolean {
  const { before, after, work } = texts;
  const [own, found] = [findVisibleLines(before, anchor), findVisibleLines(after, place)];
  if (own.length !== found.length) return true;
  if (own.length < 2) return false;
  const [theirs, ours] = [texts.getChangedLines("after"), texts.getChangedLines("before")];
  return own.some((line, index) => {
    const other = found[index];
    work.left -= pairCost * (theirs.count + ours.count);
    if (!other || work.left < 0) return true;
    return (
      theirs.hasSimilar(toSimilarityQuery(before, line, anchor), other) ||
      ours.hasSimilar(toSimilarityQuery(after, other, place), line)
    );
  });
}

/**
 * Cost of comparing two lines, in pairs of characters. The cost is low because most lines already differ in
 * length.
 */
const pairCost = 8;

/**
 * Returns what to search for: the lines of a passage, and the passage itself with and without context on each
 * side. The passage alone may be just one word of a sentence.
 */
function toSimilarityQuery(text: string, lines: Span, place: Span): SimilarityQuery {
  const sliceWithin = (left: number, right: number) =>
    text.slice(Math.max(lines.start, place.start - left), Math.min(lines.end, place.end + right));
  const [near, none] = [besideChars, 0];
  const parts = [
    sliceWithin(none, none),
    sliceWithin(near, none),
    sliceWithin(none, near),
    sliceWithin(near, near),
  ];
  return { lines: text.slice(lines.start, lines.end), parts: [...new Set(parts)] };
}

const besideChars = 32;
