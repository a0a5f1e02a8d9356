import type { Wanted } from "./changed-lines.js";
import { linesAround, type Texts, visibleLines } from "./compare-texts.js";
import type { Span } from "./locate-quote.js";

/**
 * True if changed lines in either text resemble the lines of a passage, so that it is uncertain which became
 * which. Unchanged lines are certain.
 */
export function hasTwin(texts: Texts, anchor: Span, place: Span): boolean {
  const { before, after } = texts;
  const [own, found] = [linesAround(before, anchor), linesAround(after, place)];
  return (
    texts.changed("after").hasLike(wantedAt(before, own, anchor), found) ||
    texts.changed("before").hasLike(wantedAt(after, found, place), own)
  );
}

/**
 * For a passage of several lines: true if any of them resembles a changed line elsewhere, in either text.
 * Each may have become the other, whatever is adjacent. Passages that cannot be compared line by line, or
 * within the limit, count as ambiguous too.
 */
export function hasTwinOfLine(texts: Texts, anchor: Span, place: Span): boolean {
  const { before, after, work } = texts;
  const [own, found] = [visibleLines(before, anchor), visibleLines(after, place)];
  if (own.length !== found.length) return true;
  if (own.length < 2) return false;
  const [theirs, ours] = [texts.changed("after"), texts.changed("before")];
  return own.some((line, index) => {
    const other = found[index];
    work.left -= pairCost * (theirs.count + ours.count);
    if (!other || work.left < 0) return true;
    return (
      theirs.hasLike(wantedAt(before, line, anchor), other) ||
      ours.hasLike(wantedAt(after, other, place), line)
    );
  });
}

/** Cost of comparing two lines, in pairs of characters: most lines already differ in length. */
const pairCost = 8;

/**
 * Returns a passage's lines, and the passage itself with and without context, because it may be a single word
 * of a sentence.
 */
function wantedAt(text: string, lines: Span, place: Span): Wanted {
  const within = (left: number, right: number) =>
    text.slice(Math.max(lines.start, place.start - left), Math.min(lines.end, place.end + right));
  const [near, none] = [besideChars, 0];
  const parts = [within(none, none), within(near, none), within(none, near), within(near, near)];
  return { lines: text.slice(lines.start, lines.end), parts: [...new Set(parts)] };
}

const besideChars = 32;
