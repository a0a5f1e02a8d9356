import type { Change } from "./align-texts.js";
import { findVisibleLines, type Texts } from "./compare-texts.js";
import { cutsWord } from "./cuts-word.js";
import { countKeptUnits, isElsewhere } from "./find-moved.js";
import { alikeMin, distinctiveCharsMin, isLikeFirst } from "./likeness.js";
import type { AnchoredQuote, ReanchoredSpan, Span } from "./locate-quote.js";
import { computeSimilarity, findMostAlike, type Likeness } from "./similarity.js";

/**
 * Minimum similarity of a passage and its context to the original. The minimum is higher for a short passage,
 * because a similar one may occur by accident.
 */
const alikeAroundMin = 0.6;
const alikeAroundShortMin = 0.85;
/** How much more similar the best passage must be than the second best. */
const betterBy = 0.15;
/** Maximum length of a change that is searched for similar passages. */
const changeCharsMax = 16_384;

/**
 * Finds the passage within the changes that is similar enough to be the original passage. Returns null unless
 * there is exactly one.
 */
export function findRewordedSpan(texts: Texts, anchor: AnchoredQuote): ReanchoredSpan | null {
  const { before, after } = texts;
  const words = before.slice(anchor.start, anchor.end);
  if (words.trim().length < 4) return null;
  const quote = { words, isLikelyIn: createTrigramTest(words) };
  const alike = texts.alignments[0].changes.flatMap((change) => findLikenesses(texts, quote, change));
  const [best, next] = alike.sort((x, y) => y.similarity - x.similarity);
  if (!best || best.similarity < alikeMin) return null;
  if (next && best.similarity - next.similarity < betterBy) return null;
  const alikeAround = words.length < distinctiveCharsMin ? alikeAroundShortMin : alikeAroundMin;
  if (computeSimilarity(sliceAround(before, anchor), sliceAround(after, best)) < alikeAround) return null;
  if (!isLikeFirst(texts, anchor, best) || cutsWord(before, anchor, after, best)) return null;
  const length = best.end - best.start;
  const isOther = texts.alignments.some(
    (each) => countKeptUnits(each, best, anchor) > (1 - alikeMin) * length,
  );
  if (isOther || isElsewhere(texts, anchor, best)) return null;
  // If an identical line is next to the passage, the alignment has chosen between the two lines arbitrarily.
  if (!isOfSingleLines(texts, "before", anchor) || !isOfSingleLines(texts, "after", best)) return null;
  const { start, end } = best;
  return { start, end, how: after.slice(start, end) === words ? "moved" : "reworded" };
}

/** Returns true if each line of a passage occurs exactly once in the text. */
function isOfSingleLines(texts: Texts, side: "before" | "after", place: Span): boolean {
  const text = texts[side];
  return findVisibleLines(text, place).every(
    ({ start, end }) => texts.findLine(side, text.slice(start, end)) !== undefined,
  );
}

/**
 * The quoted words, and a function that checks whether other text shares enough characters with them to
 * contain something similar.
 */
interface Quote {
  readonly words: string;
  readonly isLikelyIn: (text: string) => boolean;
}

function findLikenesses(
  { after, work }: Texts,
  { words, isLikelyIn }: Quote,
  { after: within }: Change,
): Likeness[] {
  if (within.end === within.start) return [];
  // The passage may extend slightly beyond the change, so text on both sides is included.
  const start = Math.max(0, within.start - words.length);
  const text = after.slice(start, within.end + words.length);
  if (text.length < words.length / 2) return [];
  work.left -= 16 * Math.min(text.length, changeCharsMax);
  if (text.length <= changeCharsMax && work.left > 0 && !isLikelyIn(text)) return [];
  work.left -= words.length * Math.min(text.length, changeCharsMax);
  // Text that is too long to search may contain a passage that is just as similar, so no result would be
  // certain.
  if (text.length > changeCharsMax || work.left < 0)
    return [0, 1].map(() => ({ start: 0, end: 0, similarity: 1 }));
  return findMostAlike(words, text).map((each) => ({
    start: each.start + start,
    end: each.end + start,
    similarity: each.similarity,
  }));
}

function sliceAround(text: string, { start, end }: Span): string {
  return text.slice(Math.max(0, start - 64), end + 64);
}

/** Minimum share of a quote's trigrams that a similar text must contain. */
const sharedMin = 0.3;
/**
 * Number of hash values for trigrams. If the hash value of a trigram occurs in the quote, the trigram itself
 * is compared.
 */
const marks = 1 << 14;

/**
 * Returns a function that checks whether text contains enough of a quote's trigrams to include something
 * similar.
 */
function createTrigramTest(quote: string): (text: string) => boolean {
  const times = new Map<string, number>();
  const isMarked = new Uint8Array(marks);
  for (let at = 0; at + 3 <= quote.length; at++) {
    const triple = quote.slice(at, at + 3);
    times.set(triple, (times.get(triple) ?? 0) + 1);
    isMarked[markAt(quote, at)] = 1;
  }
  const least = sharedMin * (quote.length - 2);
  return (text) => {
    let shared = 0;
    const found = new Set<string>();
    for (let at = 0; at + 3 <= text.length && shared < least; at++) {
      if (isMarked[markAt(text, at)] === 0) continue;
      const triple = text.slice(at, at + 3);
      if (found.has(triple)) continue;
      found.add(triple);
      shared += times.get(triple) ?? 0;
    }
    return shared >= least;
  };
}

function markAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % marks;
}
