/**
 * A run of `length` equal tokens, which starts at `before` in the first sequence and at `after` in the
 * second.
 */
export interface CommonRun {
  readonly before: number;
  readonly after: number;
  readonly length: number;
}

/** Maximum recursion depth. Only repetitive texts need more, and they cannot be aligned with certainty. */
const depthMax = 24;
/** Maximum number of token pairs for which a range without unique tokens is compared pair by pair. */
const pairsMax = 10_000;

/**
 * Aligns two sequences of tokens. Aligns their common beginning and end first, then the longest chain of
 * tokens that occur once in each and in the same order, and then, recursively, the ranges in between. The
 * time is bounded. Ranges that are too repetitive count as replaced.
 */
export function alignTokens(before: Int32Array, after: Int32Array, vocabulary: number): CommonRun[] {
  const kept: CommonRun[] = [];
  const counts = createCounts(vocabulary);
  const ranges: TokenRange[] = [{ b0: 0, b1: before.length, a0: 0, a1: after.length, depth: 0 }];
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const { depth } = range;
    let { b0, b1, a0, a1 } = range;
    const first = { before: b0, after: a0 };
    while (b0 < b1 && a0 < a1 && before[b0] === after[a0]) {
      b0++;
      a0++;
    }
    if (b0 > first.before) kept.push({ ...first, length: b0 - first.before });
    const last = b1;
    while (b0 < b1 && a0 < a1 && before[b1 - 1] === after[a1 - 1]) {
      b1--;
      a1--;
    }
    if (last > b1) kept.push({ before: b1, after: a1, length: last - b1 });
    if (b0 === b1 || a0 === a1) continue;
    const chain =
      depth < depthMax ? findLongestChain(counts.findUniquePairs(before, after, { b0, b1, a0, a1 })) : [];
    if (chain.length > 0) {
      let [b, a] = [b0, a0];
      for (const { before: b2, after: a2 } of chain) {
        if (b2 < b || a2 < a) continue;
        if (b2 > b && a2 > a) ranges.push({ b0: b, b1: b2, a0: a, a1: a2, depth: depth + 1 });
        kept.push({ before: b2, after: a2, length: 1 });
        b = b2 + 1;
        a = a2 + 1;
      }
      ranges.push({ b0: b, b1, a0: a, a1, depth: depth + 1 });
    } else if ((b1 - b0) * (a1 - a0) <= pairsMax) {
      addCommonSubsequence(before, after, { b0, b1, a0, a1 }, kept);
    }
  }
  return mergeRuns(kept.sort((x, y) => x.before - y.before));
}

interface Bounds {
  readonly b0: number;
  readonly b1: number;
  readonly a0: number;
  readonly a1: number;
}

interface TokenRange extends Bounds {
  readonly depth: number;
}

interface Pair {
  readonly before: number;
  readonly after: number;
}

/** Joins pieces that follow each other without a gap in both texts. */
export function mergeRuns(kept: readonly CommonRun[]): CommonRun[] {
  const pieces: CommonRun[] = [];
  for (const each of kept) {
    const last = pieces.at(-1);
    if (last && last.before + last.length === each.before && last.after + last.length === each.after) {
      pieces[pieces.length - 1] = { ...last, length: last.length + each.length };
    } else pieces.push(each);
  }
  return pieces;
}

/**
 * Creates reusable counters for the tokens in two ranges. Resetting them takes time in proportion to the
 * ranges, not to the vocabulary.
 */
function createCounts(vocabulary: number) {
  const inBefore = new Uint32Array(vocabulary);
  const countsInAfter = new Uint32Array(vocabulary);
  const positionInAfter = new Uint32Array(vocabulary);
  return {
    /**
     * Returns the positions of tokens that occur exactly once in each range, in the order of the first range.
     */
    findUniquePairs(before: Int32Array, after: Int32Array, { b0, b1, a0, a1 }: Bounds): Pair[] {
      const tokens = before.subarray(b0, b1);
      const others = after.subarray(a0, a1);
      for (const token of tokens) inBefore[token] = (inBefore[token] ?? 0) + 1;
      others.forEach((token, place) => {
        countsInAfter[token] = (countsInAfter[token] ?? 0) + 1;
        positionInAfter[token] = a0 + place;
      });
      const pairs: Pair[] = [];
      tokens.forEach((token, place) => {
        if (inBefore[token] === 1 && countsInAfter[token] === 1) {
          pairs.push({ before: b0 + place, after: positionInAfter[token] ?? 0 });
        }
      });
      for (const token of tokens) inBefore[token] = 0;
      for (const token of others) countsInAfter[token] = 0;
      return pairs;
    },
  };
}

/**
 * Returns the longest selection of pairs that is also in the order of the second text. The given pairs are in
 * the order of the first text.
 */
function findLongestChain(pairs: readonly Pair[]): Pair[] {
  // `lasts` has the last pair of the best chain of each length. `follows` has the predecessor of each pair.
  const lasts: number[] = [];
  const follows = new Int32Array(pairs.length);
  const getAfter = (index: number | undefined) => pairs[index ?? -1]?.after ?? -1;
  pairs.forEach((pair, index) => {
    let [low, high] = [0, lasts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (getAfter(lasts[middle]) < pair.after) low = middle + 1;
      else high = middle;
    }
    follows[index] = lasts[low - 1] ?? -1;
    lasts[low] = index;
  });
  const chain: Pair[] = [];
  for (let index = lasts.at(-1) ?? -1; index >= 0; index = follows[index] ?? -1) {
    const pair = pairs[index];
    if (pair) chain.push(pair);
  }
  return chain.reverse();
}

/** Finds the longest common subsequence of two short ranges, and appends its pieces to `kept`. */
function addCommonSubsequence(
  before: Int32Array,
  after: Int32Array,
  { b0, b1, a0, a1 }: Bounds,
  kept: CommonRun[],
): void {
  const width = a1 - a0 + 1;
  const lengths = new Uint16Array((b1 - b0 + 1) * width);
  const lengthAt = (b: number, a: number) => lengths[(b - b0) * width + (a - a0)] ?? 0;
  for (let b = b1 - 1; b >= b0; b--) {
    for (let a = a1 - 1; a >= a0; a--) {
      lengths[(b - b0) * width + (a - a0)] =
        before[b] === after[a]
          ? lengthAt(b + 1, a + 1) + 1
          : Math.max(lengthAt(b + 1, a), lengthAt(b, a + 1));
    }
  }
  for (let b = b0, a = a0; b < b1 && a < a1; ) {
    if (before[b] === after[a]) kept.push({ before: b++, after: a++, length: 1 });
    else if (lengthAt(b + 1, a) >= lengthAt(b, a + 1)) b++;
    else a++;
  }
}
