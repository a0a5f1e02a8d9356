import type { TextAlignment } from "./align-texts.js";
import type { CommonRun } from "./align-tokens.js";
import { clip, expandToLines, findVisibleLines, getEnd, type Texts } from "./compare-texts.js";
import { hasPartElsewhere } from "./find-moved.js";
import { alikeMin, distinctiveCharsMin, isLikeFirst } from "./likeness.js";
import type { AnchoredQuote, ReanchoredSpan, Span } from "./locate-quote.js";
import { hasTwin, hasTwinOfLine } from "./twins.js";

/**
 * A short passage is identified by this many characters on each side of it. At least the share
 * `besideKeptMin` of them must have been kept.
 */
const besideChars = 32;
const besideKeptMin = 0.6;
/**
 * Minimum share of the nearby text in the same line that must have been kept. Otherwise the passage could be
 * the same word in another sentence.
 */
const inLineKeptMin = 0.6;

/**
 * Finds the current position of a passage that was kept in place. Returns null if the two alignments do not
 * agree on it.
 */
export function findKept(texts: Texts, anchor: AnchoredQuote): ReanchoredSpan | null {
  const { after } = texts;
  const [one, other] = texts.alignments.map((alignment) => follow(alignment, anchor));
  if (!one || !other || one.start !== other.start || one.end !== other.end) return null;
  const length = anchor.end - anchor.start;
  const kept = Math.min(one.kept, other.kept);
  const place = withoutSpace(after, { start: one.start, end: one.end }, anchor.quote);
  if (kept < alikeMin * length || place.end - place.start > 2 * length + besideChars) return null;
  const isWhole = kept === length && place.end - place.start === length;
  if (!isWhole && !isLikeFirst(texts, anchor, place)) return null;
  if (kept < distinctiveCharsMin && !isKeptAround(texts, anchor)) return null;
  if (hasTwinOfLine(texts, anchor, place)) return null;
  // If there is a similar passage elsewhere, it may be the original that was moved, and this passage may be a
  // copy.
  if (hasTwin(texts, anchor, place)) return null;
  if (!areLinesKept(texts, anchor) && hasPartElsewhere(texts, anchor, place)) return null;
  return { ...place, how: isWhole ? "exact" : "reworded" };
}

/** Returns true if the whole passage was kept in at least one of the alignments. */
export function isKept({ alignments }: Texts, { start, end }: Span): boolean {
  return alignments.some((alignment) => {
    const place = follow(alignment, { start, end });
    return place?.kept === end - start && place.end - place.start === end - start;
  });
}

/** Returns the new position of a passage in one alignment, and how many of its characters were kept. */
function follow(alignment: TextAlignment, { start, end }: Span): (Span & { kept: number }) | null {
  // Looks at one more character on each side. If the text next to the passage was kept, the replacement
  // starts or ends there.
  const pieces = alignment.findRunsInBefore({ start: start - 1, end: end + 1 });
  const within = pieces.flatMap((piece) => clip(piece, { start, end }));
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last) return null;
  const left = first.before === start ? undefined : pieces.find((piece) => hasUnit(piece, start - 1));
  const right = getEnd(last) === end ? undefined : pieces.find((piece) => hasUnit(piece, end));
  return {
    start: left ? start - left.before + left.after : first.after,
    end: right ? end - right.before + right.after : last.after + last.length,
    kept: within.reduce((units, piece) => units + piece.length, 0),
  };
}

/** Trims white space at both ends of a passage, except at an end where the quote itself has white space. */
function withoutSpace(text: string, { start, end }: Span, quote: string): Span {
  const words = text.slice(start, end);
  return {
    start: /^\s/.test(quote) ? start : start + words.length - words.trimStart().length,
    end: /\s$/.test(quote) ? end : end - words.length + words.trimEnd().length,
  };
}

function hasUnit(piece: CommonRun, unit: number): boolean {
  return piece.before <= unit && unit < getEnd(piece);
}

/**
 * Returns true if the lines of a passage are unchanged. If they are, similar text elsewhere is a different
 * passage.
 */
function areLinesKept({ before, alignments }: Texts, anchor: Span): boolean {
  const lines = expandToLines(before, anchor);
  return alignments.every((alignment) => computeKeptShare(alignment, lines) === 1);
}

function isKeptAround({ before, alignments, findLine }: Texts, { start, end }: Span): boolean {
  const line = expandToLines(before, { start, end });
  const beside = { start: Math.max(0, start - besideChars), end: Math.min(before.length, end + besideChars) };
  // If another line has the same text as the passage's line, context on one side is not enough, because that
  // context may now belong to the other line.
  const isSingle = findVisibleLines(before, { start, end }).some(
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
      sides.every((side) => computeKeptShare(alignment, side) >= besideKeptMin) &&
      computeKeptShare(alignment, inLine) >= inLineKeptMin,
  );
}

function computeKeptShare(alignment: TextAlignment, place: Span): number {
  const pieces = alignment.findRunsInBefore(place).flatMap((piece) => clip(piece, place));
  return pieces.reduce((units, piece) => units + piece.length, 0) / (place.end - place.start);
}
