import { alignTexts, type TextAlignment } from "./align-texts.js";
import type { CommonRun } from "./align-tokens.js";
import { type ChangedLines, indexLines } from "./changed-lines.js";
import type { Span } from "./locate-quote.js";

/** Two texts that have been compared once, to find any number of passages of the first in the second. */
export interface Texts {
  readonly before: string;
  readonly after: string;
  /** One alignment from the front and one from the end. Where they differ, the alignment is ambiguous. */
  readonly alignments: readonly [TextAlignment, TextAlignment];
  /** Returns the changed lines of one of the two texts. */
  getChangedLines(side: "before" | "after"): ChangedLines;
  /**
   * Returns the position of a line that occurs exactly once in the text. Returns undefined for any other
   * line.
   */
  findLine(side: "before" | "after", line: string): number | undefined;
  /** The remaining budget for comparisons, in pairs of characters. */
  readonly work: { left: number };
}

const workMax = 20_000_000;

export function compareTexts(before: string, after: string): Texts {
  const texts = { before, after };
  const alignments = alignTexts(before, after);
  const toWholeSpan = (side: "before" | "after") => ({ start: 0, end: texts[side].length });
  const getChangedLines = cacheBySide((side) =>
    indexLines(
      texts[side],
      sortUnique(
        alignments.flatMap(({ changes }) =>
          changes.flatMap((change) => splitLineSpans(texts[side], change[side])),
        ),
      ).filter(({ start, end }) => texts[side].slice(start, end).trim() !== ""),
    ),
  );
  const getUniqueLines = cacheBySide((side) => {
    const places = new Map<string, number | null>();
    for (const { start, end } of splitLineSpans(texts[side], toWholeSpan(side))) {
      const line = texts[side].slice(start, end).trimEnd();
      places.set(line, places.has(line) ? null : start);
    }
    return places;
  });
  return {
    ...texts,
    alignments,
    getChangedLines,
    findLine: (side, line) => getUniqueLines(side).get(line.trimEnd()) ?? undefined,
    work: { left: workMax },
  };
}

function cacheBySide<Made>(make: (side: "before" | "after") => Made): (side: "before" | "after") => Made {
  const made = new Map<"before" | "after", Made>();
  return (side) => {
    const known = made.get(side);
    if (known !== undefined) return known;
    const fresh = make(side);
    made.set(side, fresh);
    return fresh;
  };
}

/** Sorts spans by their start and removes duplicates. */
function sortUnique(spans: readonly Span[]): Span[] {
  const once = new Map(spans.map((span) => [`${span.start} ${span.end}`, span]));
  return [...once.values()].sort((x, y) => x.start - y.start);
}

export function splitLineSpans(text: string, { start, end }: Span): Span[] {
  const lines: Span[] = [];
  for (let at = start; at < end; ) {
    const line = text.indexOf("\n", at);
    const next = line < 0 || line >= end ? end : line + 1;
    lines.push({ start: at, end: next });
    at = next;
  }
  return lines;
}

/** Returns the span from the start of a passage's first line to the end of its last line. */
export function expandToLines(text: string, { start, end }: Span): Span {
  const behind = text.indexOf("\n", Math.max(start, end - 1));
  return {
    start: start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1,
    end: behind < 0 ? text.length : behind + 1,
  };
}

/** Returns the lines that a passage touches, without blank lines. */
export function findVisibleLines(text: string, place: Span): Span[] {
  return splitLineSpans(text, expandToLines(text, place)).filter(
    ({ start, end }) => text.slice(start, end).trim() !== "",
  );
}

export function getEnd({ before, length }: CommonRun): number {
  return before + length;
}

/** Returns the part of a piece that is within a span, as a list with one item or none. */
export function clip(piece: CommonRun, { start, end }: Span): CommonRun[] {
  const from = Math.max(piece.before, start);
  const to = Math.min(getEnd(piece), end);
  return to > from ? [{ before: from, after: piece.after + from - piece.before, length: to - from }] : [];
}

/** Returns how many characters of the text around two passages match. */
export function measureCommonContext(
  text: string,
  one: Span,
  otherText: string,
  other: Span,
): { left: number; right: number } {
  let left = 0;
  while (left < aroundCharsMax && isSame(text, one.start - left - 1, otherText, other.start - left - 1))
    left++;
  let right = 0;
  while (right < aroundCharsMax && isSame(text, one.end + right, otherText, other.end + right)) right++;
  return { left, right };
}

function isSame(text: string, unit: number, otherText: string, other: number): boolean {
  return unit >= 0 && unit < text.length && text[unit] === otherText[other];
}

/**
 * Maximum number of characters compared before and after a passage. Beyond this, further matching characters
 * do not help to distinguish passages.
 */
const aroundCharsMax = 10_000;
