import { wordsOf } from "./align-texts.js";
import type { Span } from "./locate-quote.js";

/** What lines may be taken for: some lines, and what of them is looked for. */
export interface Wanted {
  readonly lines: string;
  readonly parts: readonly string[];
}

/** The lines of a text that changed, as the words in them. */
export interface ChangedLines {
  readonly count: number;
  /**
   * Whether one of them, apart from some, has much in common with these words, or holds nearly all of one of the parts.
   * What is alike is told by the words alone, whatever their order.
   */
  hasLike(wanted: Wanted, apart: Span): boolean;
}

/** So much two lines have in common when one may be taken for the other. */
const alikeMin = 0.6;
/** So much of a place is in a line that may be taken for it, where the place is long enough to say something. */
const holdsMin = 0.7;
const tellingCharsMin = 24;

interface Bag {
  readonly span: Span;
  readonly words: Int32Array;
  readonly weight: number;
}

export function indexLines(text: string, spans: readonly Span[]): ChangedLines {
  const lengths: number[] = [];
  const ids = new Map<string, number>();
  const idOf = (word: string) => {
    const known = ids.get(word);
    if (known !== undefined) return known;
    ids.set(word, lengths.length);
    return lengths.push(word.length) - 1;
  };
  const bagOf = (span: Span, words: string) => {
    const visible = wordsOf(words).filter((word) => word.trim() !== "");
    return {
      span,
      words: Int32Array.from(visible, idOf),
      weight: visible.reduce((sum, { length }) => sum + length, 0),
    };
  };
  const bags: readonly Bag[] = spans.map((span) => bagOf(span, text.slice(span.start, span.end)));
  const empty = { start: 0, end: 0 };

  return {
    count: bags.length,
    hasLike({ lines, parts }, apart) {
      const ours = bagOf(empty, lines);
      const marked = parts
        .filter(({ length }) => length >= tellingCharsMin)
        .map((part) => bagOf(empty, part));
      const counts = countsOf(ours, lengths.length);
      const held = marked.map((bag) => ({
        least: holdsMin * bag.weight,
        counts: countsOf(bag, lengths.length),
      }));
      const height = lines
        .trimEnd()
        .split("\n")
        .filter((line) => line.trim() !== "").length;
      for (const [index, first] of bags.entries()) {
        if (first.span.start < apart.end && apart.start < first.span.end) continue;
        const window = bags.slice(index, index + height);
        const weight = window.reduce((sum, bag) => sum + bag.weight, 0);
        const isAlike =
          2 * Math.min(weight, ours.weight) >= alikeMin * (weight + ours.weight) &&
          2 * shared(window, counts, lengths) >= alikeMin * (weight + ours.weight);
        const isHolding = () =>
          held.some((part) => weight >= part.least && shared(window, part.counts, lengths) >= part.least);
        if (isAlike || isHolding()) return true;
      }
      return false;
    },
  };
}

function countsOf({ words }: Bag, vocabulary: number): Uint16Array {
  const counts = new Uint16Array(vocabulary);
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** How much of the counted words stands in some lines, by the length of the words. */
function shared(window: readonly Bag[], counts: Uint16Array, lengths: readonly number[]): number {
  let sum = 0;
  const taken: number[] = [];
  for (const { words } of window)
    for (const word of words) {
      const left = counts[word] ?? 0;
      if (left === 0) continue;
      counts[word] = left - 1;
      taken.push(word);
      sum += lengths[word] ?? 0;
    }
  for (const word of taken) counts[word] = (counts[word] ?? 0) + 1;
  return sum;
}
