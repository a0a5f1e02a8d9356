import { createHash } from "node:crypto";
import { verifyMerkleInclusion } from "@sigstore/verify/dist/tlog/merkle.js";
import { describe, expect, it } from "vitest";
import {
  computeConsistencyPath,
  computeInclusionPath,
  computeLogRoot,
  growTree,
  hashLeaf,
  type ReadSubtrees,
  verifyConsistency,
  verifyInclusion,
} from "./log-tree.js";

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const leaves = Array.from({ length: 1000 }, (_, index) => hashLeaf(Buffer.from(`entry ${index}`), sha256));
const allSizes = Array.from({ length: 301 }, (_, size) => size);

/**
 * Literal, recursive implementations of the RFC 9162 definitions over leaves m to n. They share no code with
 * the tested implementation.
 */
interface Definitions {
  /** The Merkle tree hash (MTH) of RFC 9162, section 2.1.1. */
  mth(start: number, end: number): Uint8Array;
  /** The inclusion proof (PATH) of RFC 9162, section 2.1.3.1. */
  path(index: number, start: number, end: number): Uint8Array[];
  /** The recursive part of a consistency proof (SUBPROOF) of RFC 9162, section 2.1.4.1. */
  subproof(from: number, start: number, end: number, whole: boolean): Uint8Array[];
}

/** @param nameOf - returns the key under which a range's hash is cached (default: both ends of the range) */
function definitions(
  leafAt: (index: number) => Uint8Array,
  nameOf = (start: number, end: number) => `${start}-${end}`,
): Definitions {
  const known = new Map<string, Uint8Array>();
  function define(start: number, end: number): Uint8Array {
    if (start === end) return sha256(Buffer.alloc(0));
    if (end - start === 1) return leafAt(start);
    const k = start + largestPowerBelow(end - start);
    return sha256(Buffer.concat([Buffer.from([1]), it.mth(start, k), it.mth(k, end)]));
  }
  const it: Definitions = {
    mth(start, end) {
      const name = nameOf(start, end);
      const hash = known.get(name) ?? define(start, end);
      known.set(name, hash);
      return hash;
    },
    path(index, start, end) {
      if (end - start === 1) return [];
      const k = start + largestPowerBelow(end - start);
      return index < k
        ? [...it.path(index, start, k), it.mth(k, end)]
        : [...it.path(index, k, end), it.mth(start, k)];
    },
    subproof(from, start, end, whole) {
      if (from === end) return whole ? [] : [it.mth(start, end)];
      const k = start + largestPowerBelow(end - start);
      return from <= k
        ? [...it.subproof(from, start, k, whole), it.mth(k, end)]
        : [...it.subproof(from, k, end, false), it.mth(start, k)];
    },
  };
  return it;
}

function largestPowerBelow(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** Returns a pseudo-random number below `limit`. The same name always gives the same number. */
function drawBelow(limit: number, name: string): number {
  return Number(sha256(Buffer.from(name)).readBigUInt64BE() % BigInt(limit));
}

const rfc = definitions((index) => leaves[index] ?? Buffer.alloc(32));

/** Reads subtrees in the way that a database with complete subtrees would. */
function readFrom({ mth }: Definitions): ReadSubtrees {
  return async (subtrees) => subtrees.map(({ start, height }) => mth(start, start + 2 ** height));
}

const read = readFrom(rfc);

describe("the tree of a log", () => {
  it("[PROOF-1] has the published roots of the eight leaves that certificate logs are tested with", () => {
    const published = [
      "",
      "00",
      "10",
      "2021",
      "3031",
      "40414243",
      "5051525354555657",
      "606162636465666768696a6b6c6d6e6f",
    ];
    const tree = growTree(sha256);
    const roots = published.map((entry) => {
      tree.push(hashLeaf(Buffer.from(entry, "hex"), sha256));
      return hex(tree.root());
    });
    expect(roots).toEqual([
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]);
    expect(hex(growTree(sha256).root())).toBe(hex(sha256(Buffer.alloc(0))));
  });

  it("[PROOF-1] has the root of the RFC's definition at every size, grown leaf by leaf, by tiles, or read", async () => {
    const tree = growTree(sha256);
    for (const size of allSizes) {
      const root = hex(rfc.mth(0, size));
      expect(hex(tree.root())).toBe(root);
      expect(hex(await computeLogRoot(size, read, sha256))).toBe(root);
      tree.push(leaves[size] ?? Buffer.alloc(32));
    }
    const tiled = growTree(sha256);
    for (const start of [0, 256, 512]) tiled.pushSubtree(rfc.mth(start, start + 256), 8);
    for (const leaf of leaves.slice(768)) tiled.push(leaf);
    expect(hex(tiled.root())).toBe(hex(rfc.mth(0, 1000)));
    expect(() => tiled.pushSubtree(Buffer.alloc(32), 8)).toThrow("cannot follow 1000 leaves");
  });
});

describe("paths", () => {
  it("[PROOF-2] lead from leaves at both ends and in the middle to the root and to no other, and are those of the RFC's definition", async () => {
    for (const size of allSizes) {
      const root = rfc.mth(0, size);
      for (const index of new Set(
        [0, 1, size >> 1, size - 2, size - 1].filter((at) => 0 <= at && at < size),
      )) {
        const found = await computeInclusionPath({ index, size }, read, sha256);
        expect(found.map(hex)).toEqual(rfc.path(index, 0, size).map(hex));
        const claim = { index, size, leaf: leaves[index] ?? root, path: found, root };
        expect(verifyInclusion(claim, sha256)).toBe(true);
        expect(verifyInclusion({ ...claim, leaf: sha256(root) }, sha256)).toBe(false);
        expect(verifyInclusion({ ...claim, path: [...found, root] }, sha256)).toBe(false);
        expect(verifyInclusion({ ...claim, path: found.slice(1) }, sha256)).toBe(size === 1);
        expect(verifyInclusion({ ...claim, index: size }, sha256)).toBe(false);
        if (size > 1) expect(verifyInclusion({ ...claim, index: (index + 1) % size }, sha256)).toBe(false);
      }
    }
  });

  it("[PROOF-2] are taken by the verifier of Sigstore's log, which others wrote, and refused when one hash is another", async () => {
    const takes = (size: number, index: number, hashes: readonly Uint8Array[]) => {
      const canonicalizedBody = Buffer.from(`entry ${index}`);
      const inclusionProof = { logIndex: String(index), hashes: hashes.map((hash) => Buffer.from(hash)) };
      // The cast is safe, because the verifier reads only these two fields of an entry.
      const entry = { canonicalizedBody, inclusionProof } as unknown as Parameters<
        typeof verifyMerkleInclusion
      >[0];
      try {
        verifyMerkleInclusion(entry, {
          origin: "",
          logSize: BigInt(size),
          logHash: Buffer.from(rfc.mth(0, size)),
          rest: [],
        });
        return true;
      } catch {
        return false;
      }
    };
    for (const size of allSizes.slice(1)) {
      const index = drawBelow(size, `leaf of ${size}`);
      const found = await computeInclusionPath({ index, size }, read, sha256);
      expect(takes(size, index, found)).toBe(true);
      const [first] = found;
      if (first) expect(takes(size, index, [sha256(first), ...found.slice(1)])).toBe(false);
    }
  });

  it("[PROOF-3] show an earlier root to be the beginning of a later one, are the RFC's, and of no other root", async () => {
    for (const size of allSizes) {
      const root = rfc.mth(0, size);
      for (const from of new Set(
        [0, 1, 2, size >> 1, size - 1, size].filter((at) => 0 <= at && at <= size),
      )) {
        const found = await computeConsistencyPath({ from, size }, read, sha256);
        expect(found.map(hex)).toEqual((from === 0 ? [] : rfc.subproof(from, 0, size, true)).map(hex));
        const claim = { from, fromRoot: rfc.mth(0, from), size, root, path: found };
        expect(verifyConsistency(claim, sha256)).toBe(true);
        expect(verifyConsistency({ ...claim, fromRoot: sha256(root) }, sha256)).toBe(false);
        expect(verifyConsistency({ ...claim, path: [...found, root] }, sha256)).toBe(false);
        if (from > 0) expect(verifyConsistency({ ...claim, root: sha256(root) }, sha256)).toBe(false);
        if (found.length > 0)
          expect(verifyConsistency({ ...claim, path: found.slice(1) }, sha256)).toBe(false);
        if (from < size && from > 0) {
          expect(verifyConsistency({ ...claim, from: from - 1 }, sha256)).toBe(false);
        }
      }
    }
  });

  it("[PROOF-2] [PROOF-3] hold in logs of more leaves than anybody posts, at random places", async () => {
    // If all leaves are equal, a subtree's hash depends only on its size. The definitions can then be
    // evaluated even for 2^50 leaves.
    const [leaf = Buffer.alloc(32)] = leaves;
    const equal = definitions(
      () => leaf,
      (start, end) => `${end - start}`,
    );
    const readEqual = readFrom(equal);
    for (let round = 0; round < 200; round++) {
      const size = 1 + drawBelow(2 ** (10 + (round % 41)), `size ${round}`);
      const index = drawBelow(size, `index ${round}`);
      const from = 1 + drawBelow(size, `from ${round}`);
      const root = equal.mth(0, size);
      const included = await computeInclusionPath({ index, size }, readEqual, sha256);
      expect(included.map(hex)).toEqual(equal.path(index, 0, size).map(hex));
      expect(verifyInclusion({ index, size, leaf, path: included, root }, sha256)).toBe(true);
      const consistent = await computeConsistencyPath({ from, size }, readEqual, sha256);
      expect(consistent.map(hex)).toEqual(equal.subproof(from, 0, size, true).map(hex));
      const claim = { from, fromRoot: equal.mth(0, from), size, root, path: consistent };
      expect(verifyConsistency(claim, sha256)).toBe(true);
      expect(verifyConsistency({ ...claim, root: sha256(root) }, sha256)).toBe(false);
    }
  });

  it("[PROOF-2] are refused for what is not in the log", async () => {
    await expect(computeInclusionPath({ index: 5, size: 5 }, read, sha256)).rejects.toThrow("below 5, got 5");
    await expect(computeConsistencyPath({ from: 6, size: 5 }, read, sha256)).rejects.toThrow(
      "from 0 to 5, got 6",
    );
  });
});
