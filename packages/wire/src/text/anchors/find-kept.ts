import type { TextAlignment } from "./align-texts.js";
import type { Kept } from "./align-tokens.js";
import { cut, endOf, linesAround, type Texts, visibleLines } from "./compare-texts.js";
import { hasPartElsewhere } from "./find-moved.js";
import { alikeMin, isLikeFirst, tellingCharsMin } from "./likeness.js";
import type { Anchored, Reanchored, Span } from "./locate-quote.js";
import { hasTwin, hasTwinOfLine } from "./twins.js";

/**
 * Number of characters on each side that identify a short passage, and the share of them that must be kept.
 */
const besideChars = 32;
const besideKeptMin = 0.6;
/**
 * Share of the nearby part of its own line that must be kept, because another sentence may contain the same
 * word.
 */
const inLineKeptMin = 0.6;

/** Finds the current position of a passage that was kept, if both alignments agree on it. */
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
  // If a copy was inserted elsewhere, that may be the moved original, and this passage the copy.
  if (hasTwin(texts, anchor, place)) return null;
  if (!areLinesKept(texts, anchor) && hasPartElsewhere(texts, anchor, place)) return null;
  return { ...place, how: isWhole ? "exact" : "reworded" };
}

/** True if the whole passage was kept in at least one alignment. */
export function isKept({ alignments }: Texts, { start, end }: Span): boolean {
  return alignments.some((alignment) => {
    const place = follow(alignment, { start, end });
    return place?.kept === end - start && place.end - place.start === end - start;
  });
}

/** Follows the beginning and end of a passage, and counts how much between them was kept. */
function follow(alignment: TextAlignment, { start, end }: Span): (Span & { kept: number }) | null {
  // Includes one more character on each side: if the adjacent text was kept, a replacement begins or ends
  // there.
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

/** Trims space at either end of a passage, unless the quote has space at that end. */
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

/** True if the lines of a passage are unchanged. Similar text elsewhere is then a different passage. */
function areLinesKept({ before, alignments }: Texts, anchor: Span): boolean {
  const lines = linesAround(before, anchor);
  return alignments.every((alignment) => keptPart(alignment, lines) === 1);
}

function isKeptAround({ before, alignments, findLine }: Texts, { start, end }: Span): boolean {
  const line = linesAround(before, { start, end });
  const beside = { start: Math.max(0, start - besideChars), end: Math.min(before.length, end + besideChars) };
  // If another line has the same text, the context on one side is insufficient, because it may now be next to
  // that line.
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
