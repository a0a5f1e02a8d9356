import { type TextAlignment, toSpan } from "./align-texts.js";
import { clip, expandToLines, measureCommonContext, splitLineSpans, type Texts } from "./compare-texts.js";
import { cutsWord } from "./cuts-word.js";
import { alikeMin, distinctiveCharsMin } from "./likeness.js";
import type { AnchoredQuote, ReanchoredSpan, Span } from "./locate-quote.js";
import { findOccurrences } from "./occurrences.js";
import { hasTwin, hasTwinOfLine } from "./twins.js";

/**
 * Finds a passage whose lines were moved unchanged. At least one of these lines must occur exactly once in
 * both texts. Other changes to the text do not matter.
 */
export function findLines(texts: Texts, anchor: AnchoredQuote): ReanchoredSpan | null {
  const { before, after } = texts;
  const lines = expandToLines(before, anchor);
  const words = before.slice(lines.start, Math.max(anchor.end, lines.end - 1));
  if (!hasVisibleChars(words, distinctiveCharsMin)) return null;
  for (const { start, end } of splitLineSpans(before, lines)) {
    const line = before.slice(start, end);
    if (line.trim() === "" || texts.findLine("before", line) === undefined) continue;
    const found = texts.findLine("after", line);
    if (found === undefined) return null;
    const moved = found - start;
    if (!after.startsWith(words, lines.start + moved)) return null;
    const place = { start: anchor.start + moved, end: anchor.end + moved };
    return isElsewhere(texts, anchor, place) ? null : { ...place, how: "moved" };
  }
  return null;
}

/**
 * Finds a passage that was moved unchanged. It must occur exactly once in newly inserted text, together with
 * enough of its context to be unique in the old text. Text that already existed is a different passage, no
 * matter how similar it is.
 */
export function findMoved(texts: Texts, anchor: AnchoredQuote): ReanchoredSpan | null {
  const { before, after } = texts;
  const words = before.slice(anchor.start, anchor.end);
  const found: Span[] = [];
  for (const { after: changed } of texts.alignments[0].changes) {
    // Starts before the change, because a moved passage may combine inserted text with text that already
    // existed.
    const from = Math.max(0, changed.start - words.length);
    const text = after.slice(from, changed.end + words.length);
    texts.work.left -= 2 * text.length;
    if (texts.work.left < 0) return null;
    for (const at of findOccurrences(text, words)) {
      const place = { start: from + at, end: from + at + words.length };
      const isKnown = found.some((each) => each.start === place.start);
      if (!isKnown && isNew(texts, place) && !cutsWord(before, anchor, after, place)) found.push(place);
      if (found.length > movedMax) return null;
    }
  }
  const evidence = found.map((place) => {
    const { left, right } = measureCommonContext(before, anchor, after, place);
    const whole = { start: place.start - left, end: place.end + right };
    const isCertain =
      words.length >= distinctiveCharsMin || (left >= besideCharsMin && right >= besideCharsMin);
    return { place, whole, isTold: isCertain, text: after.slice(whole.start, whole.end) };
  });
  // Enough context must have moved together with the passage. A short passage needs context on both sides.
  const certain = evidence.filter(
    ({ isTold, text, whole }) => isTold && hasVisibleChars(text, distinctiveCharsMin) && isNew(texts, whole),
  );
  const [only] = certain;
  if (!only || certain.length > 1) return null;
  if (!occursOnce(only.text, before) || !occursOnce(only.text, after)) return null;
  // If the quoted words occur in several inserted passages, the right one must have moved with at least twice
  // as much context as any other.
  if (found.length > 1 && evidence.some((each) => each !== only && 2 * each.text.length > only.text.length))
    return null;
  if (isElsewhere(texts, anchor, only.place)) return null;
  return { ...only.place, how: "moved" };
}

const movedMax = 50;
const besideCharsMin = 8;

/** Returns true if the rest of the passage, or text that could be mistaken for the passage, is elsewhere. */
export function isElsewhere(texts: Texts, anchor: AnchoredQuote, place: Span): boolean {
  const length = anchor.end - anchor.start;
  const isLeft = texts.alignments.some((alignment) => {
    const elsewhere = alignment
      .findRunsInBefore(anchor)
      .flatMap((piece) => clip(piece, anchor))
      .map((piece) => {
        const inside = Math.min(piece.after + piece.length, place.end) - Math.max(piece.after, place.start);
        return piece.length - Math.max(0, inside);
      });
    return elsewhere.reduce((units, outside) => units + outside, 0) > (1 - alikeMin) * length;
  });
  return (
    isLeft ||
    hasTwin(texts, anchor, place) ||
    hasTwinOfLine(texts, anchor, place) ||
    hasPartElsewhere(texts, anchor, place)
  );
}

/**
 * Returns true if a part of the passage that was unique before now occurs outside the passage. That text may
 * be the rest of the passage.
 */
export function hasPartElsewhere({ before, after, work }: Texts, anchor: Span, place: Span): boolean {
  const length = anchor.end - anchor.start;
  const partLength = Math.min(distinctiveCharsMin, Math.max(partCharsMin, Math.ceil(partOfShort * length)));
  const step = Math.max(partStepMin, Math.ceil(length / partsMax));
  for (let start = anchor.start; start + partLength <= anchor.end; start += step) {
    const part = before.slice(start, start + partLength);
    work.left -= before.length / scannedAtOnce;
    if (work.left < 0) return true;
    if (occursOutside(before, part, anchor)) continue;
    work.left -= after.length / scannedAtOnce;
    if (occursOutside(after, part, place)) return true;
  }
  return false;
}

const partsMax = 10;
const partStepMin = 4;
/** Length of the parts of a short passage that are searched for, as a share of the passage. */
const partOfShort = 0.4;
const partCharsMin = 12;
/** Number of characters that can be scanned in the time that it takes to compare two. */
const scannedAtOnce = 16;

function occursOutside(text: string, words: string, { start, end }: Span): boolean {
  for (const at of findOccurrences(text, words)) if (at < start || at + words.length > end) return true;
  return false;
}

/**
 * Returns true if at most a fifth of a passage in the second text comes from the first text, in both
 * alignments.
 */
function isNew({ alignments }: Texts, place: Span): boolean {
  return alignments.every(
    (alignment) => countKeptUnits(alignment, place) <= (1 - alikeMin) * (place.end - place.start),
  );
}

/**
 * Counts how many characters of a passage in the second text come from the first text. Characters from the
 * span `apart` of the first text are not counted.
 */
export function countKeptUnits(
  alignment: TextAlignment,
  place: Span,
  apart: Span = { start: 0, end: 0 },
): number {
  return alignment.findRunsInAfter(place).reduce((units, piece) => {
    const { start, end } = toSpan(piece, "after");
    const from = Math.max(start, place.start);
    const to = Math.min(end, place.end);
    const inBefore = { start: piece.before + from - piece.after, end: piece.before + to - piece.after };
    const common = Math.min(inBefore.end, apart.end) - Math.max(inBefore.start, apart.start);
    return units + (to - from) - Math.max(0, common);
  }, 0);
}

function occursOnce(words: string, text: string): boolean {
  let times = 0;
  for (const _ of findOccurrences(text, words)) if (++times > 1) return false;
  return times === 1;
}

/**
 * Returns true if `text` has at least `count` characters other than white space. Stops counting once there
 * are enough.
 */
function hasVisibleChars(text: string, count: number): boolean {
  let seen = 0;
  for (let at = 0; at < text.length && seen < count; at++) if (/\S/.test(text[at] ?? "")) seen++;
  return seen >= count;
}
