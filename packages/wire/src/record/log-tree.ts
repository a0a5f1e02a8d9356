import { sameBytes } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";

/**
 * The tree over a log (RFC 9162, section 2.1). Leaves stay in order, and are hashed differently from inner
 * nodes, so a root commits to the entries and their order. It can be proved that a later root extends an
 * earlier one.
 */

/** Returns the leaf hash of an entry, given the entry's bytes. */
export function hashLeaf(entry: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(entry.length + 1); // The first byte is 0x00.
  bytes.set(entry, 1);
  return sha256(bytes);
}

export function hashNode(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha256(bytes);
}

/**
 * A tree to which leaves can be appended. It stores only the complete subtrees on its right edge, not the
 * leaves.
 */
export interface GrowingTree {
  readonly size: number;
  /** The roots of the complete subtrees on the right edge, from left to right: all that is needed to go on. */
  readonly edge: readonly Uint8Array[];
  /**
   * Returns the root over everything that has been pushed so far. The root of an empty tree is the SHA-256 of
   * an empty string.
   */
  root(): Uint8Array;
  push(leaf: Uint8Array): void;
  /**
   * Appends a complete subtree of 2^height leaves, such as a tile, given its root.
   *
   * @throws RangeError if the tree's size is not a multiple of 2^height
   */
  pushSubtree(hash: Uint8Array, height: number): void;
  /** Returns an independent copy of the tree. */
  fork(): GrowingTree;
}

/** @param from - a tree to continue (default: an empty one) */
export function growTree(
  sha256: Sha256,
  from: Pick<GrowingTree, "size" | "edge"> = { size: 0, edge: [] },
): GrowingTree {
  const subtrees = splitIntoSubtrees({ start: 0, end: from.size });
  if (subtrees.length !== from.edge.length) {
    throw new RangeError(
      `Expected ${subtrees.length} subtrees of ${from.size} leaves, got ${from.edge.length}.`,
    );
  }
  const edge = from.edge.map((hash, index) => ({ hash, height: subtrees[index]?.height ?? 0 }));
  return growFrom(from.size, edge, sha256);
}

/** @param edge - the complete subtrees on the right edge, from left to right, each higher than the next */
function growFrom(size: number, edge: { hash: Uint8Array; height: number }[], sha256: Sha256): GrowingTree {
  function pushSubtree(hash: Uint8Array, height: number): void {
    if (size % 2 ** height !== 0) {
      throw new RangeError(`A subtree of 2^${height} leaves cannot follow ${size} leaves.`);
    }
    size += 2 ** height;
    let grown = { hash, height };
    for (let last = edge.at(-1); last?.height === grown.height; last = edge.at(-1)) {
      edge.pop();
      grown = { hash: hashNode(last.hash, grown.hash, sha256), height: grown.height + 1 };
    }
    edge.push(grown);
  }

  return {
    get size() {
      return size;
    },
    get edge() {
      return edge.map(({ hash }) => hash);
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

/**
 * Identifies a complete subtree of 2^height leaves. `start` is the index of its first leaf, counted from 0.
 */
export interface Subtree {
  readonly start: number;
  readonly height: number;
}

/**
 * Reads the hashes of complete subtrees in the given order. Called once, with all subtrees that a root or
 * path needs.
 */
export type ReadSubtrees = (subtrees: readonly Subtree[]) => Promise<readonly Uint8Array[]>;

/** Returns the root over the first `size` leaves of a log. */
export async function computeLogRoot(size: number, read: ReadSubtrees, sha256: Sha256): Promise<Uint8Array> {
  if (size === 0) return joinSubtrees([], sha256);
  const [root] = await hashRanges([{ start: 0, end: size }], read, sha256);
  if (!root) throw new RangeError("The root of the range was not read.");
  return root;
}

/**
 * Returns the proof that the root over the first `size` leaves includes a leaf. The proof is the sibling's
 * hash at each level, from the leaf upwards.
 *
 * @param index - index of the leaf, counted from 0
 */
export async function computeInclusionPath(
  { index, size }: { index: number; size: number },
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  if (!(0 <= index && index < size))
    throw new RangeError(`Expected the index of a leaf below ${size}, got ${index}.`);
  return hashRanges(computeSiblingRanges(index, { start: 0, end: size }), read, sha256);
}

/**
 * Returns the proof that the root over `size` leaves extends the earlier root over the first `from` leaves.
 */
export async function computeConsistencyPath(
  { from, size }: { from: number; size: number },
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  if (!(0 <= from && from <= size))
    throw new RangeError(`Expected an earlier size from 0 to ${size}, got ${from}.`);
  // No proof is needed, because an empty log is a prefix of every log, and every log is a prefix of itself.
  if (from === 0 || from === size) return [];
  return hashRanges(computePrefixRanges(from, { start: 0, end: size }, true), read, sha256);
}

/** Returns true if the path connects the leaf to the root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion(
  claim: { index: number; size: number; leaf: Uint8Array; path: readonly Uint8Array[]; root: Uint8Array },
  sha256: Sha256,
): boolean {
  if (!(Number.isSafeInteger(claim.size) && isBelow(claim.index, claim.size))) return false;
  let index = claim.index;
  let last = claim.size - 1;
  let node = claim.leaf;
  for (const sibling of claim.path) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      node = hashNode(sibling, node, sha256);
      // Skips levels at which the node has no sibling and moves up unchanged. This happens on the right edge.
      while (index % 2 === 0 && index !== 0) [index, last] = [halve(index), halve(last)];
    } else {
      node = hashNode(node, sibling, sha256);
    }
    [index, last] = [halve(index), halve(last)];
  }
  return last === 0 && sameBytes(node, claim.root);
}

/** A path between the tree over the first `from` leaves of a log and the tree over `size` leaves. */
interface ConsistencyClaim {
  readonly from: number;
  readonly fromRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * Returns true if the path proves that the later root extends the earlier root (RFC 9162, section 2.1.4.2).
 */
export function verifyConsistency(claim: ConsistencyClaim, sha256: Sha256): boolean {
  const fromRoot = computeConsistentRoot(claim, sha256);
  return fromRoot !== null && sameBytes(fromRoot, claim.fromRoot);
}

/**
 * Returns the root over the first `from` leaves of the tree under `root`, if the path leads from it to `root`.
 * Returns null if the path leads elsewhere. Two signed roots of which neither extends the other are thereby a
 * proof of two histories. A path omits the earlier root if `from` is a power of two, so `fromRoot` is then the
 * claimed one.
 */
export function computeConsistentRoot(claim: ConsistencyClaim, sha256: Sha256): Uint8Array | null {
  const { from, size, fromRoot, root } = claim;
  if (!(Number.isSafeInteger(size) && isBelow(from, size + 1))) return null;
  if (from === size) return claim.path.length === 0 ? root : null;
  if (from === 0) return claim.path.length === 0 ? sha256(new Uint8Array()) : null;

  let index = from - 1;
  let last = size - 1;
  while (index % 2 === 1) [index, last] = [halve(index), halve(last)];
  // If the earlier tree is a single complete subtree, the path omits its root, which is already known.
  const [first, ...rest] = index === 0 ? [fromRoot, ...claim.path] : claim.path;
  if (!first) return null;
  let earlier = first;
  let later = first;
  for (const sibling of rest) {
    if (last === 0) return null;
    if (index % 2 === 1 || index === last) {
      earlier = hashNode(sibling, earlier, sha256);
      later = hashNode(sibling, later, sha256);
      while (index % 2 === 0 && index !== 0) [index, last] = [halve(index), halve(last)];
    } else {
      later = hashNode(later, sibling, sha256);
    }
    [index, last] = [halve(index), halve(last)];
  }
  return last === 0 && sameBytes(later, root) ? earlier : null;
}

/** Leaves from `start` up to, but excluding, `end`. */
interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** Implements PATH of the RFC. Returns the half without the leaf at each split, innermost first. */
function computeSiblingRanges(index: number, { start, end }: LeafRange): LeafRange[] {
  if (end - start === 1) return [];
  const middle = computeSplit({ start, end });
  return index < middle
    ? [...computeSiblingRanges(index, { start, end: middle }), { start: middle, end }]
    : [...computeSiblingRanges(index, { start: middle, end }), { start, end: middle }];
}

/**
 * Implements SUBPROOF of the RFC. `whole` is true while the range is exactly the range of the earlier root,
 * whose hash the verifier knows.
 */
function computePrefixRanges(from: number, { start, end }: LeafRange, isWhole: boolean): LeafRange[] {
  if (from === end) return isWhole ? [] : [{ start, end }];
  const middle = computeSplit({ start, end });
  return from <= middle
    ? [...computePrefixRanges(from, { start, end: middle }, isWhole), { start: middle, end }]
    : [...computePrefixRanges(from, { start: middle, end }, false), { start, end: middle }];
}

/**
 * Splits a range in two. The number of leaves in the left half is the largest power of two below the total.
 */
function computeSplit({ start, end }: LeafRange): number {
  return start + 2 ** floorLog2(end - start - 1);
}

/**
 * Returns the height of the largest complete subtree that has at most `leaves` leaves. Does not use
 * Math.log2, because it rounds up just below large powers of two.
 */
function floorLog2(leaves: number): number {
  let height = 0;
  while (2 ** (height + 1) <= leaves) height++;
  return height;
}

async function hashRanges(
  ranges: readonly LeafRange[],
  read: ReadSubtrees,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  const parts = ranges.map(splitIntoSubtrees);
  const subtrees = parts.flat();
  const hashes = [...(subtrees.length === 0 ? [] : await read(subtrees))];
  if (hashes.length !== subtrees.length) {
    throw new RangeError(`Expected ${subtrees.length} subtrees, got ${hashes.length}.`);
  }
  return parts.map((part) => joinSubtrees(hashes.splice(0, part.length), sha256));
}

export function splitIntoSubtrees({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    const height = floorLog2(end - at);
    subtrees.push({ start: at, height });
    at += 2 ** height;
  }
  return subtrees;
}

/**
 * Returns the root over adjacent complete subtrees, given their hashes. Each subtree must be higher than the
 * next.
 */
function joinSubtrees(hashes: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  const last = hashes.at(-1);
  if (!last) return sha256(new Uint8Array());
  return hashes.slice(0, -1).reduceRight((right, left) => hashNode(left, right, sha256), last);
}

/** Halves a number, rounding down. A bit shift would truncate it to 32 bits. */
function halve(number: number): number {
  return Math.floor(number / 2);
}

function isBelow(number: number, limit: number): boolean {
  return Number.isSafeInteger(number) && 0 <= number && number < limit;
}
