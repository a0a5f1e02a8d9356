import { wordsOf } from "./align-texts.js";
import type { Span } from "./locate-quote.js";

/** A search for lines that are similar to `lines`, or that contain nearly all of one of `parts`. */
export interface Wanted {
  readonly lines: string;
  readonly parts: readonly string[];
}

/** The changed lines of a text, indexed by their words. */
export interface ChangedLines {
  readonly count: number;
  /**
   * True if any of the lines, except those in `apart`, is similar to the wanted lines or contains nearly all
   * of a part. Similarity depends only on the words, not on their order.
   */
  hasLike(wanted: Wanted, apart: Span): boolean;
}

/** Minimum similarity at which two lines may be mistaken for each other. */
const alikeMin = 0.6;
/**
 * Minimum share of a passage within a line that may be mistaken for it. Only for passages long enough to be
 * distinctive.
 */
const holdsMin = 0.7;
const tellingCharsMin = 24;

interface Line {
  readonly span: Span;
  readonly words: Int32Array;
  readonly weight: number;
}

/** Words to search for in the lines. */
interface Looked {
  readonly weight: number;
  /** Number of occurrences of each wanted word that the lines contain, rarest words first. */
  readonly known: readonly { readonly word: number; readonly times: number }[];
}

export function indexLines(text: string, spans: readonly Span[]): ChangedLines {
  const lengths: number[] = [];
  /** For each word, the lines that contain it, in order. */
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
  /** Remaining count of each wanted word. All zero between two searches. */
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

  /** Many passages share the same lines, sometimes all lines of a text, so the results are cached. */
  function lookOnce(words: string): Looked {
    const looked = lookedAt.get(words) ?? look(words);
    lookedAt.set(words, looked);
    return looked;
  }

  /**
   * Yields the first lines of all runs that can share at least `least`. Such a run contains one of the rarest
   * words: the other words together have too little weight.
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

  /** True if a run of lines contains at least `least` of the words, by length. */
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
      // Two texts that share this much of both share at least this much of the first.
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

/** Tolerance for rounding errors, because the same sum is computed in two ways. */
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
