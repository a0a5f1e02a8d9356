import { sameBytes } from "../../core/hex.js";
import type { Sha256 } from "../../core/merkle-tree.js";

/**
 * The tree over a log (RFC 9162, section 2.1): leaves in their order, hashed apart from the nodes above them, so that a root
 * says of a number of entries which they are and in which order they stand. A later root can be shown to hold all that an
 * earlier one did.
 */

/** The hash of one entry's bytes, which the tree calls a leaf. */
export function leafHash(entry: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(entry.length + 1); // The first byte is 0x00.
  bytes.set(entry, 1);
  return sha256(bytes);
}

export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha256(bytes);
}

/** A tree that grows at its end, and keeps of all its leaves no more than the complete subtrees of its right edge. */
export interface GrowingTree {
  readonly size: number;
  /** The root over all that was pushed; over nothing, SHA-256 of nothing. */
  root(): Uint8Array;
  push(leaf: Uint8Array): void;
  /**
   * Pushes the root of a complete subtree of 2^height leaves, such as a tile's.
   *
   * @throws when the tree's size is no multiple of that, since the subtree cannot stand there
   */
  pushSubtree(hash: Uint8Array, height: number): void;
  /** Another that has the same leaves and goes its own way. */
  fork(): GrowingTree;
}

export function growTree(sha256: Sha256): GrowingTree {
  return growFrom(0, [], sha256);
}

/** @param edge - complete subtrees from left to right, each higher than the next */
function growFrom(size: number, edge: { hash: Uint8Array; height: number }[], sha256: Sha256): GrowingTree {
  function pushSubtree(hash: Uint8Array, height: number): void {
    if (size % 2 ** height !== 0) {
      throw new RangeError(`A subtree of 2^${height} leaves cannot follow ${size} leaves.`);
    }
    size += 2 ** height;
    let grown = { hash, height };
    for (let last = edge.at(-1); last?.height === grown.height; last = edge.at(-1)) {
      edge.pop();
      grown = { hash: nodeHash(last.hash, grown.hash, sha256), height: grown.height + 1 };
    }
    edge.push(grown);
  }

  return {
    get size() {
      return size;
    },
    root: () =>
      joinSubtrees(
        edge.map(({ hash }) => hash),
        sha256,
      ),
    push: (leaf) => pushSubtree(leaf, 0),
    pushSubtree,
    fork: () => growFrom(size, [...edge], sha256),
  };
}

/** A complete subtree: of 2^height leaves, the first of which is leaf number `start`, counted from 0. */
export interface Subtree {
  readonly start: number;
  readonly height: number;
}

/** Gives the hashes of some complete subtrees, in their order. It is asked once for all that a root or a path needs. */
export type ReadSubtrees = (subtrees: readonly Subtree[]) => Promise<readonly Uint8Array[]>;

/** The root over the first `size` leaves. */
export async function rootOfLog(size: number, read: ReadSubtrees, sha256: Sha256): Promise<Uint8Array> {
  if (size === 0) return joinSubtrees([], sha256);
  const [root] = await hashRanges([{ start: 0, end: size }], read, sha256);
  if (!root) throw new RangeError("The root of the range was not read.");
  return root;
}

/**
 * Returns the hashes that lead from one leaf to the root over the first `size` leaves: at each level the hash
 * beside, from the leaf up.
 *
 * @param index - the leaf's, counted from 0
 */
export async function inclusionPath(
  { index, size }: { index: number; size: number },
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  if (!(0 <= index && index < size))
    throw new RangeError(`Expected the index of a leaf below ${size}, got ${index}.`);
  return hashRanges(rangesBeside(index, { start: 0, end: size }), read, sha256);
}

/** The proof that the first `from` of `size` leaves are those of an earlier root over `from`. */
export async function consistencyPath(
  { from, size }: { from: number; size: number },
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  if (!(0 <= from && from <= size))
    throw new RangeError(`Expected an earlier size from 0 to ${size}, got ${from}.`);
  // Nothing is a beginning of everything, and everything of itself; neither needs to be shown.
  if (from === 0 || from === size) return [];
  return hashRanges(rangesOfPrefix(from, { start: 0, end: size }, true), read, sha256);
}

/** Whether the path leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion(
  claim: { index: number; size: number; leaf: Uint8Array; path: readonly Uint8Array[]; root: Uint8Array },
  sha256: Sha256,
): boolean {
  if (!(Number.isSafeInteger(claim.size) && isBelow(claim.index, claim.size))) return false;
  let place = claim.index;
  let last = claim.size - 1;
  let node = claim.leaf;
  for (const beside of claim.path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      node = nodeHash(beside, node, sha256);
      // At the right edge a node without a partner went up unchanged.
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      node = nodeHash(node, beside, sha256);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && sameBytes(node, claim.root);
}

/** Whether the path shows the earlier root to be of the first entries of the later one (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(
  claim: { from: number; fromRoot: Uint8Array; size: number; root: Uint8Array; path: readonly Uint8Array[] },
  sha256: Sha256,
): boolean {
  const { from, size, fromRoot, root } = claim;
  if (!(Number.isSafeInteger(size) && isBelow(from, size + 1))) return false;
  if (from === size) return claim.path.length === 0 && sameBytes(fromRoot, root);
  if (from === 0) return claim.path.length === 0 && sameBytes(fromRoot, sha256(new Uint8Array()));

  let place = from - 1;
  let last = size - 1;
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  // An earlier tree that is one complete subtree is not repeated in the path.
  const [first, ...rest] = place === 0 ? [fromRoot, ...claim.path] : claim.path;
  if (!first) return false;
  let earlier = first;
  let later = first;
  for (const beside of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      earlier = nodeHash(beside, earlier, sha256);
      later = nodeHash(beside, later, sha256);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      later = nodeHash(later, beside, sha256);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && sameBytes(earlier, fromRoot) && sameBytes(later, root);
}

/** Leaves from `start` up to, and without, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** PATH of the RFC: at each split the half without the leaf, the innermost first. */
function rangesBeside(index: number, { start, end }: Range): Range[] {
  if (end - start === 1) return [];
  const middle = splitOf({ start, end });
  return index < middle
    ? [...rangesBeside(index, { start, end: middle }), { start: middle, end }]
    : [...rangesBeside(index, { start: middle, end }), { start, end: middle }];
}

/** SUBPROOF of the RFC; `whole` while the range is the one that the earlier root is of, which is known. */
function rangesOfPrefix(from: number, { start, end }: Range, whole: boolean): Range[] {
  if (from === end) return whole ? [] : [{ start, end }];
  const middle = splitOf({ start, end });
  return from <= middle
    ? [...rangesOfPrefix(from, { start, end: middle }, whole), { start: middle, end }]
    : [...rangesOfPrefix(from, { start: middle, end }, false), { start, end: middle }];
}

/** The left half has the most leaves that are a power of two and fewer than all. */
function splitOf({ start, end }: Range): number {
  return start + 2 ** heightBelow(end - start - 1);
}

/** The height of the largest complete subtree of at most so many leaves. Logarithms round up just below large powers. */
function heightBelow(leaves: number): number {
  let height = 0;
  while (2 ** (height + 1) <= leaves) height++;
  return height;
}

async function hashRanges(
  ranges: readonly Range[],
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  const parts = ranges.map(subtreesOf);
  const wanted = parts.flat();
  const hashes = [...(wanted.length === 0 ? [] : await read(wanted))];
  if (hashes.length !== wanted.length) {
    throw new RangeError(`Expected ${wanted.length} subtrees, got ${hashes.length}.`);
  }
  return parts.map((part) => joinSubtrees(hashes.splice(0, part.length), sha256));
}

function subtreesOf({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    const height = heightBelow(end - at);
    subtrees.push({ start: at, height });
    at += 2 ** height;
  }
  return subtrees;
}

/** The root over complete subtrees that stand side by side, each higher than the next. */
function joinSubtrees(hashes: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  const last = hashes.at(-1);
  if (!last) return sha256(new Uint8Array());
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right, sha256), last);
}

/** Numbers of leaves are not cut to 32 bits, as shifting would. */
function half(number: number): number {
  return Math.floor(number / 2);
}

function isBelow(number: number, limit: number): boolean {
  return Number.isSafeInteger(number) && 0 <= number && number < limit;
}
