import { splitWords } from "./align-texts.js";
import type { Span } from "./locate-quote.js";

/**
 * The lines to search for: any that are similar to `lines`, or that contain nearly all of one of the `parts`.
 */
export interface SimilarityQuery {
  readonly lines: string;
  readonly parts: readonly string[];
}

/** The changed lines in one of two compared texts, with an index of their words. */
export interface ChangedLines {
  readonly count: number;
  /**
   * Returns true if any changed line outside `apart` is similar to the wanted lines or contains nearly all of
   * a wanted part. Similarity depends only on the words, not on their order.
   */
  hasSimilar(query: SimilarityQuery, excluded: Span): boolean;
}

/** Minimum similarity at which one line may be mistaken for another. */
const alikeMin = 0.6;
/**
 * A line that contains at least this share of a passage may be mistaken for the passage. Applies only to
 * passages that are long enough to be distinctive.
 */
const holdsMin = 0.7;
const distinctiveCharsMin = 24;

interface Line {
  readonly span: Span;
  readonly words: Int32Array;
  readonly weight: number;
}

/** The words to search for in the changed lines. */
interface IndexedWords {
  readonly weight: number;
  /**
   * The words to search for that occur in the changed lines, rarest first, and how often each of them is
   * searched for.
   */
  readonly known: readonly { readonly word: number; readonly times: number }[];
}

export function indexLines(text: string, spans: readonly Span[]): ChangedLines {
  const lengths: number[] = [];
  /** For each word, the indexes of the lines that contain the word, in ascending order. */
  const holders: number[][] = [];
  const ids = new Map<string, number>();
  const lines: readonly Line[] = spans.map((span, line) => {
    const visible = splitVisibleWords(text.slice(span.start, span.end));
    const words = Int32Array.from(visible, (word) => {
      const id = ids.get(word) ?? lengths.push(word.length) - 1;
      if (id === holders.length) {
        ids.set(word, id);
        holders.push([]);
      }
      const of = holders[id];
      if (of && of.at(-1) !== line) of.push(line);
      return id;
    });
    return { span, words, weight: computeWeight(visible) };
  });
  /**
   * For each word, how many more occurrences count in the current search. All values are zero between two
   * searches.
   */
  const left = new Uint32Array(lengths.length);
  const indexedByText = new Map<string, IndexedWords>();

  function indexWords(words: string): IndexedWords {
    const visible = splitVisibleWords(words);
    const times = new Map<number, number>();
    for (const each of visible) {
      const word = ids.get(each);
      if (word !== undefined) times.set(word, (times.get(word) ?? 0) + 1);
    }
    const known = Array.from(times, ([word, count]) => ({ word, times: count }));
    const countHolders = (word: number) => holders[word]?.length ?? 0;
    known.sort((x, y) => countHolders(x.word) - countHolders(y.word));
    return { weight: computeWeight(visible), known };
  }

  /**
   * Caches the results of `look`, because many passages share the same lines. A passage may even cover the
   * whole text.
   */
  function indexWordsOnce(words: string): IndexedWords {
    const indexed = indexedByText.get(words) ?? indexWords(words);
    indexedByText.set(words, indexed);
    return indexed;
  }

  /**
   * Yields the first line of every run of lines that can share at least `least` with the wanted words. Each
   * such run contains one of the rarest words, because the other words together do not have enough weight.
   */
  function* findOverlappingRuns(
    { known }: IndexedWords,
    least: number,
    height: number,
  ): Generator<number, void> {
    const getLength = (word: number) => lengths[word] ?? 0;
    let rest = known.reduce((sum, { word, times }) => sum + times * getLength(word), 0);
    const seen = new Set<number>();
    for (const { word, times } of known) {
      if (rest < least) return;
      rest -= times * getLength(word);
      for (const holder of holders[word] ?? []) {
        for (let first = Math.max(0, holder - height + 1); first <= holder; first++) {
          if (seen.has(first)) continue;
          seen.add(first);
          yield first;
        }
      }
    }
    if (rest >= least) yield* lines.keys();
  }

  function sumWeights(first: number, height: number): number {
    let sum = 0;
    for (let at = first; at < Math.min(first + height, lines.length); at++) sum += lines[at]?.weight ?? 0;
    return sum;
  }

  /**
   * Returns true if a run of lines contains enough of the words searched for: the words found must have a
   * total length of at least `least`.
   */
  function sharesEnough({ known }: IndexedWords, least: number, first: number, height: number): boolean {
    for (const { word, times } of known) left[word] = times;
    let sum = 0;
    let open = sumWeights(first, height);
    for (let at = first; at < Math.min(first + height, lines.length) && sum + open >= least; at++) {
      const { words } = lines[at] ?? { words: [] };
      for (let index = 0; index < words.length && sum + open >= least; index++) {
        const word = words[index] ?? 0;
        const length = lengths[word] ?? 0;
        open -= length;
        const times = left[word] ?? 0;
        if (times === 0) continue;
        left[word] = times - 1;
        sum += length;
      }
    }
    for (const { word } of known) left[word] = 0;
    return sum >= least;
  }

  return {
    count: lines.length,
    hasSimilar({ lines: wanted, parts }, excluded) {
      const height = countVisibleLines(wanted);
      const isExcluded = (first: number) => {
        const span = lines[first]?.span;
        return span === undefined || (span.start < excluded.end && excluded.start < span.end);
      };
      const ours = indexWordsOnce(wanted);
      // A lower bound for the first check. If two texts are similar enough, they share at least this much of
      // the wanted text.
      const leastAlike = (alikeMin / (2 - alikeMin)) * ours.weight * roundingTolerance;
      for (const first of findOverlappingRuns(ours, leastAlike, height)) {
        if (isExcluded(first)) continue;
        const weight = sumWeights(first, height);
        const least = (alikeMin * (weight + ours.weight)) / 2;
        if (Math.min(weight, ours.weight) >= least && sharesEnough(ours, least, first, height)) return true;
      }
      return parts.some((part) => {
        if (part.length < distinctiveCharsMin) return false;
        const marked = indexWords(part);
        const least = holdsMin * marked.weight;
        for (const first of findOverlappingRuns(marked, least, height)) {
          if (!isExcluded(first) && sharesEnough(marked, least, first, height)) return true;
        }
        return false;
      });
    },
  };
}

/** Factor that allows for rounding errors, because the same sum is computed in two ways. */
const roundingTolerance = 1 - 1e-9;

function splitVisibleWords(text: string): string[] {
  return splitWords(text).filter((word) => word.trim() !== "");
}

function computeWeight(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

function countVisibleLines(text: string): number {
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "").length;
}
