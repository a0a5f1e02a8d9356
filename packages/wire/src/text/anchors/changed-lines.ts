import { wordsOf } from "./align-texts.js";
import type { Span } from "./locate-quote.js";

/**
 * The lines to search for: any that are similar to `lines`, or that contain nearly all of one of the `parts`.
 */
export interface Wanted {
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
  hasLike(wanted: Wanted, apart: Span): boolean;
}

/** Minimum similarity at which one line may be mistaken for another. */
const alikeMin = 0.6;
/**
 * A line that contains at least this share of a passage may be mistaken for the passage. Applies only to
 * passages that are long enough to be distinctive.
 */
const holdsMin = 0.7;
const tellingCharsMin = 24;

interface Line {
  readonly span: Span;
  readonly words: Int32Array;
  readonly weight: number;
}

/** The words to search for in the changed lines. */
interface Looked {
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
    const visible = visibleWords(text.slice(span.start, span.end));
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
    return { span, words, weight: weightOf(visible) };
  });
  /**
   * For each word, how many more occurrences count in the current search. All values are zero between two
   * searches.
   */
  const left = new Uint32Array(lengths.length);
  const lookedAt = new Map<string, Looked>();

  function look(words: string): Looked {
    const visible = visibleWords(words);
    const times = new Map<number, number>();
    for (const each of visible) {
      const word = ids.get(each);
      if (word !== undefined) times.set(word, (times.get(word) ?? 0) + 1);
    }
    const known = Array.from(times, ([word, count]) => ({ word, times: count }));
    const holdersOf = (word: number) => holders[word]?.length ?? 0;
    known.sort((x, y) => holdersOf(x.word) - holdersOf(y.word));
    return { weight: weightOf(visible), known };
  }

  /**
   * Caches the results of `look`, because many passages share the same lines. A passage may even cover the
   * whole text.
   */
  function lookOnce(words: string): Looked {
    const looked = lookedAt.get(words) ?? look(words);
    lookedAt.set(words, looked);
    return looked;
  }

  /**
   * Yields the first line of every run of lines that can share at least `least` with the wanted words. Each
   * such run contains one of the rarest words, because the other words together do not have enough weight.
   */
  function* runsSharing({ known }: Looked, least: number, height: number): Generator<number, void> {
    const lengthOf = (word: number) => lengths[word] ?? 0;
    let rest = known.reduce((sum, { word, times }) => sum + times * lengthOf(word), 0);
    const seen = new Set<number>();
    for (const { word, times } of known) {
      if (rest < least) return;
      rest -= times * lengthOf(word);
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

  function weightFrom(first: number, height: number): number {
    let sum = 0;
    for (let at = first; at < Math.min(first + height, lines.length); at++) sum += lines[at]?.weight ?? 0;
    return sum;
  }

  /**
   * Returns true if a run of lines contains enough of the words searched for: the words found must have a
   * total length of at least `least`.
   */
  function share({ known }: Looked, least: number, first: number, height: number): boolean {
    for (const { word, times } of known) left[word] = times;
    let sum = 0;
    let open = weightFrom(first, height);
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
    hasLike({ lines: wanted, parts }, apart) {
      const height = linesIn(wanted);
      const isApart = (first: number) => {
        const span = lines[first]?.span;
        return span === undefined || (span.start < apart.end && apart.start < span.end);
      };
      const ours = lookOnce(wanted);
      // A lower bound for the first check. If two texts are similar enough, they share at least this much of
      // the wanted text.
      const leastAlike = (alikeMin / (2 - alikeMin)) * ours.weight * certain;
      for (const first of runsSharing(ours, leastAlike, height)) {
        if (isApart(first)) continue;
        const weight = weightFrom(first, height);
        const least = (alikeMin * (weight + ours.weight)) / 2;
        if (Math.min(weight, ours.weight) >= least && share(ours, least, first, height)) return true;
      }
      return parts.some((part) => {
        if (part.length < tellingCharsMin) return false;
        const marked = look(part);
        const least = holdsMin * marked.weight;
        for (const first of runsSharing(marked, least, height)) {
          if (!isApart(first) && share(marked, least, first, height)) return true;
        }
        return false;
      });
    },
  };
}

/** Factor that allows for rounding errors, because the same sum is computed in two ways. */
const certain = 1 - 1e-9;

function visibleWords(text: string): string[] {
  return wordsOf(text).filter((word) => word.trim() !== "");
}

function weightOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

function linesIn(text: string): number {
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "").length;
}
