import { splitLines } from "../lines.js";
import { alignTokens, type CommonRun, mergeRuns } from "./align-tokens.js";
import type { Span } from "./locate-quote.js";

/**
 * The passages that two texts have in common, measured in UTF-16 units. Lines are aligned first, and then the
 * words within changed lines.
 */
export interface TextAlignment {
  /** Returns the common pieces that touch a span of the first text, in order. */
  findRunsInBefore(place: Span): readonly CommonRun[];
  /** Returns the common pieces that touch a span of the second text, in order. */
  findRunsInAfter(place: Span): readonly CommonRun[];
  readonly changes: readonly Change[];
}

/** The text between two common lines, in each version of the text. Either may be empty. */
export interface Change {
  readonly before: Span;
  readonly after: Span;
}

/**
 * The end of the texts from which to align. Where an alignment is ambiguous, the two directions give
 * different results.
 */
type Direction = "forward" | "backward";

/** Aligns two texts twice, once from the front and once from the end. */
export function alignTexts(before: string, after: string): readonly [TextAlignment, TextAlignment] {
  const whole = { before: { start: 0, end: before.length }, after: { start: 0, end: after.length } };
  const isUniqueRun = createUniquenessTest(before, after);
  const allLines = tokeniseChange(before, after, whole, splitLines);
  const wordsIn = cacheByChange((change) => tokeniseChange(before, after, change, splitWords));

  function alignFrom(direction: Direction): TextAlignment {
    const lines = dropChanceRuns(align(allLines, direction), whole, isUniqueRun);
    const changes = findChanges(lines, whole);
    const words = changes.flatMap((change) =>
      dropChanceRuns(align(wordsIn(change), direction), change, () => false),
    );
    const pieces = mergeRuns([...lines, ...words].sort((x, y) => x.before - y.before));
    return {
      changes,
      findRunsInBefore: (place) => findTouching(pieces, "before", place),
      findRunsInAfter: (place) => findTouching(pieces, "after", place),
    };
  }

  return [alignFrom("forward"), alignFrom("backward")];
}

/** Returns the common pieces that touch a span of one text. The pieces have the same order in both texts. */
function findTouching(pieces: readonly CommonRun[], side: "before" | "after", place: Span): CommonRun[] {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const piece = pieces[middle];
    if (piece && piece[side] + piece.length <= place.start) low = middle + 1;
    else high = middle;
  }
  const runs: CommonRun[] = [];
  for (let index = low; index < pieces.length; index++) {
    const piece = pieces[index];
    if (!piece || piece[side] >= place.end) break;
    runs.push(piece);
  }
  return runs;
}

export function toSpan(kept: CommonRun, side: "before" | "after"): Span {
  return { start: kept[side], end: kept[side] + kept.length };
}

type Split = (text: string) => readonly string[];

/** Splits text into words, the white space between words, and single other characters. */
export const splitWords: Split = (text) =>
  text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];

/**
 * The changed parts of two texts, split into tokens. Each token is a number, and equal tokens have the same
 * number in both texts.
 */
interface Tokens {
  readonly ours: TokenSide;
  readonly theirs: TokenSide;
  readonly vocabulary: number;
}

interface TokenSide {
  readonly ids: Int32Array;
  /** Start of each token, followed by the end of the last one. */
  readonly offsets: Uint32Array;
}

/** Caches the tokens of each change, because the texts are aligned twice and mostly have the same changes. */
function cacheByChange(make: (change: Change) => Tokens): (change: Change) => Tokens {
  const known = new Map<string, Tokens>();
  return (change) => {
    const { before, after } = change;
    const name = `${before.start} ${before.end} ${after.start} ${after.end}`;
    const tokens = known.get(name) ?? make(change);
    known.set(name, tokens);
    return tokens;
  };
}

function tokeniseChange(before: string, after: string, within: Change, split: Split): Tokens {
  const ids = new Map<string, number>();
  const internToken = (token: string) => {
    const id = ids.get(token) ?? ids.size;
    if (id === ids.size) ids.set(token, id);
    return id;
  };
  const tokenise = (text: string, { start, end }: Span): TokenSide => {
    const tokens = split(text.slice(start, end));
    const offsets = new Uint32Array(tokens.length + 1);
    let offset = start;
    tokens.forEach((token, index) => {
      offsets[index] = offset;
      offset += token.length;
    });
    offsets[tokens.length] = offset;
    return { ids: Int32Array.from(tokens, internToken), offsets };
  };
  const [ours, theirs] = [tokenise(before, within.before), tokenise(after, within.after)];
  return { ours, theirs, vocabulary: ids.size };
}

function align({ ours, theirs, vocabulary }: Tokens, direction: Direction): CommonRun[] {
  const isForward = direction === "forward";
  const orderIds = ({ ids }: TokenSide) => (isForward ? ids : ids.slice().reverse());
  const toTextSpan = ({ ids, offsets }: TokenSide, token: number, length: number): Span => {
    const first = isForward ? token : ids.length - token - length;
    return { start: offsets[first] ?? 0, end: offsets[first + length] ?? 0 };
  };
  const pieces = alignTokens(orderIds(ours), orderIds(theirs), vocabulary).map((kept) => {
    const { start, end } = toTextSpan(ours, kept.before, kept.length);
    return { before: start, after: toTextSpan(theirs, kept.after, kept.length).start, length: end - start };
  });
  return mergeRuns(isForward ? pieces : pieces.reverse());
}

/**
 * Returns a function that checks whether a common piece is certain. A piece is certain if at least one of its
 * lines occurs exactly once in each text.
 */
function createUniquenessTest(before: string, after: string): (piece: CommonRun) => boolean {
  const countLines = (text: string) => {
    const counts = new Map<string, number>();
    for (const line of splitLines(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  };
  const [inBefore, inAfter] = [countLines(before), countLines(after)];
  return ({ before: start, length }) =>
    splitLines(before.slice(start, start + length)).some(
      (line) => line.trim() !== "" && inBefore.get(line) === 1 && inAfter.get(line) === 1,
    );
}

/**
 * Maximum number of passes that `dropChanceRuns` makes over the common pieces. Removing an accidental match
 * can make its neighbours look accidental too.
 */
const roundsMax = 8;

/**
 * Removes pieces that both texts probably contain by accident, such as a common word in two unrelated
 * sentences. A piece looks accidental if the changes before and after it are both at least as long as the
 * piece.
 */
function dropChanceRuns(
  pieces: readonly CommonRun[],
  within: Change,
  isCertain: (piece: CommonRun) => boolean,
): CommonRun[] {
  let left = [...pieces];
  for (let round = 0; round < roundsMax; round++) {
    const next = left.filter((piece, index) => {
      const [previous, following] = [left[index - 1], left[index + 1]];
      const measureChange = (b0: number, b1: number, a0: number, a1: number) => Math.max(b1 - b0, a1 - a0);
      const above = measureChange(
        previous ? previous.before + previous.length : within.before.start,
        piece.before,
        previous ? previous.after + previous.length : within.after.start,
        piece.after,
      );
      const below = measureChange(
        piece.before + piece.length,
        following?.before ?? within.before.end,
        piece.after + piece.length,
        following?.after ?? within.after.end,
      );
      return piece.length > Math.min(above, below) || isCertain(piece);
    });
    if (next.length === left.length) break;
    left = next;
  }
  return left;
}

function findChanges(kept: readonly CommonRun[], whole: Change): Change[] {
  const changes: Change[] = [];
  let [b, a] = [0, 0];
  const end = { before: whole.before.end, after: whole.after.end, length: 0 };
  for (const piece of [...kept, end]) {
    if (piece.before > b || piece.after > a) {
      changes.push({ before: { start: b, end: piece.before }, after: { start: a, end: piece.after } });
    }
    [b, a] = [piece.before + piece.length, piece.after + piece.length];
  }
  return changes;
}
