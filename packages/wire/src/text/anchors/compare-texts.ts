import { alignTexts, type TextAlignment } from "./align-texts.js";
import type { Kept } from "./align-tokens.js";
import { type ChangedLines, indexLines } from "./changed-lines.js";
import type { Span } from "./locate-quote.js";

/** Two texts, compared for all the places that are looked for in the second. */
export interface Texts {
  readonly before: string;
  readonly after: string;
  /** From the front and from the end: what could have been done in two ways is told by these two. */
  readonly alignments: readonly [TextAlignment, TextAlignment];
  /** The lines that changed, on each side. */
  changed(side: "before" | "after"): ChangedLines;
  /** Where each line stands that stands once; undefined for one that does not. */
  findLine(side: "before" | "after", line: string): number | undefined;
  /** How many pairs of signs may still be compared. */
  readonly work: { left: number };
}

const workMax = 20_000_000;

export function compareTexts(before: string, after: string): Texts {
  const texts = { before, after };
  const alignments = alignTexts(before, after);
  const whole = (side: "before" | "after") => ({ start: 0, end: texts[side].length });
  const changed = onceForEachSide((side) =>
    indexLines(
      texts[side],
      inOrder(
        alignments.flatMap(({ changes }) =>
          changes.flatMap((change) => linesWithin(texts[side], change[side])),
        ),
      ).filter(({ start, end }) => texts[side].slice(start, end).trim() !== ""),
    ),
  );
  const single = onceForEachSide((side) => {
    const places = new Map<string, number | null>();
    for (const { start, end } of linesWithin(texts[side], whole(side))) {
      const line = texts[side].slice(start, end).trimEnd();
      places.set(line, places.has(line) ? null : start);
    }
    return places;
  });
  return {
    ...texts,
    alignments,
    changed,
    findLine: (side, line) => single(side).get(line.trimEnd()) ?? undefined,
    work: { left: workMax },
  };
}

function onceForEachSide<Made>(make: (side: "before" | "after") => Made): (side: "before" | "after") => Made {
  const made = new Map<"before" | "after", Made>();
  return (side) => {
    const known = made.get(side);
    if (known !== undefined) return known;
    const fresh = make(side);
    made.set(side, fresh);
    return fresh;
  };
}

/** Each once, by where they begin. */
function inOrder(spans: readonly Span[]): Span[] {
  const once = new Map(spans.map((span) => [`${span.start} ${span.end}`, span]));
  return [...once.values()].sort((x, y) => x.start - y.start);
}

export function linesWithin(text: string, { start, end }: Span): Span[] {
  const lines: Span[] = [];
  for (let at = start; at < end; ) {
    const line = text.indexOf("\n", at);
    const next = line < 0 || line >= end ? end : line + 1;
    lines.push({ start: at, end: next });
    at = next;
  }
  return lines;
}

/** The whole lines that a place is in. */
export function linesAround(text: string, { start, end }: Span): Span {
  const behind = text.indexOf("\n", Math.max(start, end - 1));
  return {
    start: start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1,
    end: behind < 0 ? text.length : behind + 1,
  };
}

/** The lines that a place is in, without empty ones. */
export function visibleLines(text: string, place: Span): Span[] {
  return linesWithin(text, linesAround(text, place)).filter(
    ({ start, end }) => text.slice(start, end).trim() !== "",
  );
}

export function endOf({ before, length }: Kept): number {
  return before + length;
}

/** Returns the part of a piece that lies within a place, as a list of one or none. */
export function cut(piece: Kept, { start, end }: Span): Kept[] {
  const from = Math.max(piece.before, start);
  const to = Math.min(endOf(piece), end);
  return to > from ? [{ before: from, after: piece.after + from - piece.before, length: to - from }] : [];
}

/** How far two places have the same around them. */
export function extentAlike(
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

/** The most characters that are compared on each side of a place: a longer likeness does not help to tell places apart. */
const aroundCharsMax = 10_000;
