import { splitWords } from "./align-texts.js";
import type { Span } from "./locate-quote.js";

/** Texts up to this length are compared character by character, longer ones word by word. */
const charactersMax = 400;

/**
 * Returns the similarity of two texts, from 0 (nothing in common) to 1 (equal). This is the share of the
 * longer text that need not be rewritten.
 */
export function computeSimilarity(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  if (longer === 0) return 1;
  if (one === other) return 1;
  const split = chooseSplitter(one, other);
  const [a, b] = [split(one), split(other)];
  const row = new Float64Array(b.length + 1);
  b.forEach((token, j) => {
    row[j + 1] = (row[j] ?? 0) + token.length;
  });
  for (const token of a) {
    let diagonal = row[0] ?? 0;
    row[0] = diagonal + token.length;
    b.forEach((theirs, j) => {
      const above = row[j + 1] ?? 0;
      const replaced = token === theirs ? diagonal : diagonal + Math.max(token.length, theirs.length);
      row[j + 1] = Math.min(replaced, above + token.length, (row[j] ?? 0) + theirs.length);
      diagonal = above;
    });
  }
  return 1 - (row[b.length] ?? longer) / longer;
}

/** A passage, with its similarity to a quote. */
export interface Likeness extends Span {
  readonly similarity: number;
}

/**
 * Finds the passages in a text that are most similar to a quote. Returns at most two that do not overlap,
 * best first.
 */
export function findMostAlike(quote: string, text: string): Likeness[] {
  const split = chooseSplitter(quote, quote);
  const [pattern, tokens] = [split(quote), split(text)];
  const offsets = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, j) => {
    offsets[j + 1] = (offsets[j] ?? 0) + token.length;
  });
  const { costs, starts } = matchEnds(pattern, tokens);
  const places: Likeness[] = [];
  const ends = Array.from(costs.keys()).sort((x, y) => (costs[x] ?? 0) - (costs[y] ?? 0));
  for (const end of ends) {
    const place = { start: offsets[starts[end] ?? 0] ?? 0, end: offsets[end] ?? 0 };
    if (places.some((each) => place.start < each.end && each.start < place.end)) continue;
    if (place.end <= place.start) continue;
    const longer = Math.max(quote.length, place.end - place.start);
    places.push({ ...place, similarity: 1 - (costs[end] ?? longer) / longer });
    if (places.length === 2) break;
  }
  return places;
}

/**
 * For each position in `tokens`, computes the minimum cost of rewriting the pattern as a passage that ends
 * there. Returns these costs and the starts of the passages.
 */
function matchEnds(pattern: readonly string[], tokens: readonly string[]) {
  let costs = new Float64Array(tokens.length + 1);
  let starts = Uint32Array.from({ length: tokens.length + 1 }, (_, j) => j);
  for (const token of pattern) {
    const nextCosts = new Float64Array(tokens.length + 1);
    const nextStarts = new Uint32Array(tokens.length + 1);
    nextCosts[0] = (costs[0] ?? 0) + token.length;
    tokens.forEach((theirs, j) => {
      const replaced = (costs[j] ?? 0) + (token === theirs ? 0 : Math.max(token.length, theirs.length));
      const left = (costs[j + 1] ?? 0) + token.length;
      const added = (nextCosts[j] ?? 0) + theirs.length;
      const best = Math.min(replaced, left, added);
      nextCosts[j + 1] = best;
      nextStarts[j + 1] =
        (best === replaced ? starts[j] : best === left ? starts[j + 1] : nextStarts[j]) ?? 0;
    });
    [costs, starts] = [nextCosts, nextStarts];
  }
  return { costs, starts };
}

function chooseSplitter(one: string, other: string): (text: string) => readonly string[] {
  return Math.max(one.length, other.length) <= charactersMax ? (text) => [...text] : splitWords;
}
