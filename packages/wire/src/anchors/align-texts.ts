import { alignTokens, joined, type Kept } from "./align-tokens.js";
import type { Span } from "./locate-quote.js";

/** What two texts have in common, in UTF-16 units: first line by line, and within what changed word by word. */
export interface TextAlignment {
  /** The pieces of the first text that stand in the second, as far as they touch this place, in order. */
  piecesAt(place: Span): readonly Kept[];
  /** The same for a place of the second text. */
  piecesInAfter(place: Span): readonly Kept[];
  readonly changes: readonly Change[];
}

/** What stands between two kept lines, in the one text and the other; either may be empty. */
export interface Change {
  readonly before: Span;
  readonly after: Span;
}

/** A sequence aligned from its front and one aligned from its end differ where it could have been either way. */
export type Direction = "forward" | "backward";

export function alignTexts(before: string, after: string, direction: Direction): TextAlignment {
  const whole = { before: { start: 0, end: before.length }, after: { start: 0, end: after.length } };
  const lines = withoutChance(align(before, after, whole, linesOf, direction), whole, isTold(before, after));
  const changes = changesBetween(lines, whole);
  const words = changes.flatMap((change) =>
    withoutChance(align(before, after, change, wordsOf, direction), change, () => false),
  );
  const pieces = joined([...lines, ...words].sort((x, y) => x.before - y.before));
  return {
    changes,
    piecesAt: (place) => touching(pieces, "before", place),
    piecesInAfter: (place) => touching(pieces, "after", place),
  };
}

/** Those of the pieces, which are in the order of both texts, that touch a place of one. */
function touching(pieces: readonly Kept[], side: "before" | "after", place: Span): Kept[] {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const piece = pieces[middle];
    if (piece && piece[side] + piece.length <= place.start) low = middle + 1;
    else high = middle;
  }
  const found: Kept[] = [];
  for (let index = low; index < pieces.length; index++) {
    const piece = pieces[index];
    if (!piece || piece[side] >= place.end) break;
    found.push(piece);
  }
  return found;
}

export function spanOf(kept: Kept, side: "before" | "after"): Span {
  return { start: kept[side], end: kept[side] + kept.length };
}

type Split = (text: string) => readonly string[];

const linesOf: Split = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Words, what stands between them, and each other sign by itself. */
export const wordsOf: Split = (text) => text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];

function align(before: string, after: string, within: Change, split: Split, direction: Direction): Kept[] {
  const ids = new Map<string, number>();
  const idOf = (token: string) => {
    const id = ids.get(token) ?? ids.size;
    ids.set(token, id);
    return id;
  };
  const sides = [
    before.slice(within.before.start, within.before.end),
    after.slice(within.after.start, within.after.end),
  ];
  const [ours, theirs] = sides.map((text) => tokenise(split(text), idOf, direction));
  if (!ours || !theirs) return [];
  const kept = alignTokens(ours.ids, theirs.ids, ids.size);
  const pieces = kept.map(({ before: b, after: a, length }) => {
    const [from, to] = [ours.offset(b), ours.offset(b + length)];
    const [otherFrom, otherTo] = [theirs.offset(a), theirs.offset(a + length)];
    return {
      before: within.before.start + Math.min(from, to),
      after: within.after.start + Math.min(otherFrom, otherTo),
      length: Math.abs(to - from),
    };
  });
  return joined(pieces.sort((x, y) => x.before - y.before));
}

function tokenise(tokens: readonly string[], idOf: (token: string) => number, direction: Direction) {
  const offsets = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, index) => {
    offsets[index + 1] = (offsets[index] ?? 0) + token.length;
  });
  const ids = Int32Array.from(tokens, idOf);
  const isForward = direction === "forward";
  return {
    ids: isForward ? ids : ids.reverse(),
    offset: (index: number) => offsets[isForward ? index : tokens.length - index] ?? 0,
  };
}

/** A piece is told from others when one of its lines stands once in each of the texts. */
function isTold(before: string, after: string): (piece: Kept) => boolean {
  const once = (text: string) => {
    const counts = new Map<string, number>();
    for (const line of linesOf(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  };
  const [inBefore, inAfter] = [once(before), once(after)];
  return ({ before: start, length }) =>
    linesOf(before.slice(start, start + length)).some(
      (line) => line.trim() !== "" && inBefore.get(line) === 1 && inAfter.get(line) === 1,
    );
}

/** So often what was left out makes more of what is around it look like chance. */
const roundsMax = 8;

/**
 * Without the pieces that stand in both texts by chance, as a word does between two sentences that have nothing to do with
 * each other: those that are no longer than what changed before them and what changed behind them.
 */
function withoutChance(pieces: readonly Kept[], within: Change, isTold: (piece: Kept) => boolean): Kept[] {
  let left = [...pieces];
  for (let round = 0; round < roundsMax; round++) {
    const next = left.filter((piece, index) => {
      const [previous, following] = [left[index - 1], left[index + 1]];
      const changed = (b0: number, b1: number, a0: number, a1: number) => Math.max(b1 - b0, a1 - a0);
      const above = changed(
        previous ? previous.before + previous.length : within.before.start,
        piece.before,
        previous ? previous.after + previous.length : within.after.start,
        piece.after,
      );
      const below = changed(
        piece.before + piece.length,
        following?.before ?? within.before.end,
        piece.after + piece.length,
        following?.after ?? within.after.end,
      );
      return piece.length > Math.min(above, below) || isTold(piece);
    });
    if (next.length === left.length) break;
    left = next;
  }
  return left;
}

function changesBetween(kept: readonly Kept[], whole: Change): Change[] {
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
