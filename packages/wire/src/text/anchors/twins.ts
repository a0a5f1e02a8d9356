import type { Wanted } from "./changed-lines.js";
import { linesAround, type Texts, visibleLines } from "./compare-texts.js";
import type { Span } from "./locate-quote.js";

/**
 * Whether lines that changed, in either text, look like those of a place: nobody can say which became which. Lines that did
 * not change are what they are.
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
 * Whether a line of a place of several lines, in either text, looks like a line elsewhere that changed: each may have become
 * another one's, whatever stands beside it. What cannot be compared line by line, or not within the bound, counts as such.
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

/** The cost of comparing two lines, counted in pairs of characters: most lines differ in length alone. */
const pairCost = 8;

/** Lines, and the part of them that a place has, alone and with what stands beside it: it may be a word of a sentence. */
function wantedAt(text: string, lines: Span, place: Span): Wanted {
  const within = (left: number, right: number) =>
    text.slice(Math.max(lines.start, place.start - left), Math.min(lines.end, place.end + right));
  const [near, none] = [besideChars, 0];
  const parts = [within(none, none), within(near, none), within(none, near), within(near, near)];
  return { lines: text.slice(lines.start, lines.end), parts: [...new Set(parts)] };
}

const besideChars = 32;
