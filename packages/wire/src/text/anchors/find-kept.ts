import type { TextAlignment } from "./align-texts.js";
import type { Kept } from "./align-tokens.js";
import { cut, endOf, linesAround, type Texts, visibleLines } from "./compare-texts.js";
import { hasPartElsewhere } from "./find-moved.js";
import { alikeMin, isLikeFirst, tellingCharsMin } from "./likeness.js";
import type { Anchored, Reanchored, Span } from "./locate-quote.js";
import { hasTwin, hasTwinOfLine } from "./twins.js";

/** So much on each side of a short place says whether it is still the same. */
const besideChars = 32;
const besideKeptMin = 0.6;
/** and so much of its own line near it: another sentence may have the same word. */
const inLineKeptMin = 0.6;

/** Where what was kept of the place stands now, when both ways of comparing the texts say the same. */
export function findKept(texts: Texts, anchor: Anchored): Reanchored | null {
  const { after } = texts;
  const [one, other] = texts.alignments.map((alignment) => follow(alignment, anchor));
  if (!one || !other || one.start !== other.start || one.end !== other.end) return null;
  const length = anchor.end - anchor.start;
  const kept = Math.min(one.kept, other.kept);
  const place = withoutSpace(after, { start: one.start, end: one.end }, anchor.quote);
  if (kept < alikeMin * length || place.end - place.start > 2 * length + besideChars) return null;
  const isWhole = kept === length && place.end - place.start === length;
  if (!isWhole && !isLikeFirst(texts, anchor, place)) return null;
  if (kept < tellingCharsMin && !isKeptAround(texts, anchor)) return null;
  if (hasTwinOfLine(texts, anchor, place)) return null;
  // A copy put in elsewhere may be the original that was moved, and this the copy.
  if (hasTwin(texts, anchor, place)) return null;
  if (!areLinesKept(texts, anchor) && hasPartElsewhere(texts, anchor, place)) return null;
  return { ...place, how: isWhole ? "exact" : "reworded" };
}

/** Whether all of a place was kept in one of the ways that the texts can be compared in. */
export function isKept({ alignments }: Texts, { start, end }: Span): boolean {
  return alignments.some((alignment) => {
    const place = follow(alignment, { start, end });
    return place?.kept === end - start && place.end - place.start === end - start;
  });
}

/** Where the beginning and the end of a place went, and how much between them was kept. */
function follow(alignment: TextAlignment, { start, end }: Span): (Span & { kept: number }) | null {
  // One more on each side: where what stood beside it was kept, what was put in its place begins or ends there.
  const pieces = alignment.piecesAt({ start: start - 1, end: end + 1 });
  const within = pieces.flatMap((piece) => cut(piece, { start, end }));
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last) return null;
  const left = first.before === start ? undefined : pieces.find((piece) => hasUnit(piece, start - 1));
  const right = endOf(last) === end ? undefined : pieces.find((piece) => hasUnit(piece, end));
  return {
    start: left ? start - left.before + left.after : first.after,
    end: right ? end - right.before + right.after : last.after + last.length,
    kept: within.reduce((units, piece) => units + piece.length, 0),
  };
}

/** Leaves out space at either end of a place, unless the quote has space at that end. */
function withoutSpace(text: string, { start, end }: Span, quote: string): Span {
  const words = text.slice(start, end);
  return {
    start: /^\s/.test(quote) ? start : start + words.length - words.trimStart().length,
    end: /\s$/.test(quote) ? end : end - words.length + words.trimEnd().length,
  };
}

function hasUnit(piece: Kept, unit: number): boolean {
  return piece.before <= unit && unit < endOf(piece);
}

/** Whether the lines of a place are what they were: then what stands elsewhere is something else. */
function areLinesKept({ before, alignments }: Texts, anchor: Span): boolean {
  const lines = linesAround(before, anchor);
  return alignments.every((alignment) => keptPart(alignment, lines) === 1);
}

function isKeptAround({ before, alignments, findLine }: Texts, { start, end }: Span): boolean {
  const line = linesAround(before, { start, end });
  const beside = { start: Math.max(0, start - besideChars), end: Math.min(before.length, end + besideChars) };
  // Where another line reads the same, what stands on one side alone may have come to stand beside that.
  const isSingle = visibleLines(before, { start, end }).some(
    (each) => findLine("before", before.slice(each.start, each.end)) !== undefined,
  );
  const sides = isSingle
    ? [beside]
    : [
        { start: beside.start, end },
        { start, end: beside.end },
      ];
  const inLine = {
    start: Math.max(line.start, start - 2 * besideChars),
    end: Math.min(line.end, end + 2 * besideChars),
  };
  return alignments.every(
    (alignment) =>
      sides.every((side) => keptPart(alignment, side) >= besideKeptMin) &&
      keptPart(alignment, inLine) >= inLineKeptMin,
  );
}

function keptPart(alignment: TextAlignment, place: Span): number {
  const pieces = alignment.piecesAt(place).flatMap((piece) => cut(piece, place));
  return pieces.reduce((units, piece) => units + piece.length, 0) / (place.end - place.start);
}
