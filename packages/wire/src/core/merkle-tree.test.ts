import { createHash, randomBytes } from "node:crypto";
import { MerkleTree } from "merkletreejs";
import { describe, expect, it } from "vitest";
import { firstPrevHash, serialiseThought } from "../record/thought-hash.js";
import { computeMerkleProof, computeMerkleRoot, verifyMerkleProof } from "./merkle-tree.js";

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** SHA-256 as implemented by browsers. */
async function webSha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const text = new TextEncoder();

const hashes = [
  "99f8a0f67408d12c4a1efd31c3f31b126402a688112e3fd05e2367f2a3bc0845",
  "d7cbb0d5e1fb60e8c358c0d29bec688a346eb8322f73c60664f2026925806625",
  "848a1f64c8cbc55b57742202869e97d65ebdacacd456e9fe95571be2430f2c0c",
  "058e8b60dcb90a89580dc01d2a766dffdee8d4229a28c104d77952f04a3f4919",
  "d2fbf4a1c2504c8dc969b15f610f5ff47748a95abe21b2a1446522fd3078b4d0",
];

const roots = [
  hashes[0],
  "8b77e7aaee5edf9592e0eb488764ca8a6f3d432f3dcf31b305be323c68e55b15",
  "015fd507f0a390a0d606c36cf3b70a7ccaf1cb997ac63427f08f7067c82130d7",
  "6ca74bfa1c74b3e30791b8a4c8eb3cfba8861acf0fd87c41e8f275c4959a1678",
  "6b7f0187a1e336b146d36735771c3a1c68079c9832dbe4a6ed692354830d1869",
];

describe("the vectors", () => {
  it("[AUDIT-4] a record's hash is that of the canonical JSON of its six fields, chained from 64 zeros", () => {
    let prev_hash = firstPrevHash;
    const found = ["plan", "analysis", "decision", "decision", "reflection"].map((type, index) => {
      const number = index + 1;
      const record = {
        type,
        prev_hash,
        timestamp: `2026-01-01T00:00:0${number}.000Z`,
        content: `record ${number}`,
        task_id: "t1",
        id: `00000000-0000-4000-8000-00000000000${number}`,
        session_id: "not hashed",
        recorded_by: "nor is this",
      };
      prev_hash = hex(sha256(text.encode(serialiseThought(record))));
      return prev_hash;
    });
    expect(found).toEqual(hashes);
  });

  it("[AUDIT-8] the roots over the first one to five records", () => {
    expect(hashes.map((_, index) => computeMerkleRoot(hashes.slice(0, index + 1), sha256))).toEqual(roots);
  });
});

/** Sets of 1 to 64 leaves. Each set exists in original order, shuffled, and with some duplicates. */
const sets = Array.from({ length: 64 }, (_, index) => {
  const leaves = Array.from({ length: index + 1 }, () => hex(randomBytes(32)));
  const shuffled = leaves.map((leaf) => ({ leaf, place: Math.random() }));
  shuffled.sort((a, b) => a.place - b.place);
  const doubled = leaves.map((leaf, place) => (place % 3 === 1 ? (leaves[place - 1] ?? leaf) : leaf));
  return [leaves, shuffled.map(({ leaf }) => leaf), doubled] as const;
});

describe("against merkletreejs with sorted leaves and pairs", () => {
  const treeOf = (leaves: readonly string[]) =>
    new MerkleTree(
      leaves.map((leaf) => Buffer.from(leaf, "hex")),
      sha256,
      { sortLeaves: true, sortPairs: true },
    );

  it("[AUDIT-8] the root is the same for 1 to 64 leaves, in any order and with equal ones among them", () => {
    for (const each of sets) {
      const found = each.map((leaves) => computeMerkleRoot(leaves, sha256));
      expect(found).toEqual(each.map((leaves) => hex(treeOf(leaves).getRoot())));
      expect(found[1]).toBe(found[0]);
    }
  });

  it("[AUDIT-9] each leaf has the same proof, and it verifies there", () => {
    for (const leaves of sets.flat()) {
      const tree = treeOf(leaves);
      for (const leaf of [leaves[0], leaves[leaves.length >> 1], leaves.at(-1)]) {
        if (leaf === undefined) throw new Error("There is no leaf.");
        const { root, proof } = computeMerkleProof(leaves, leaf, sha256);
        expect(proof).toEqual(tree.getProof(Buffer.from(leaf, "hex")).map(({ data }) => hex(data)));
        expect(MerkleTree.verify(tree.getProof(leaf), leaf, root, sha256, { sortPairs: true })).toBe(true);
      }
    }
  });
});

describe("a proof", () => {
  it("[AUDIT-9] leads each leaf to the root with Node's hash as with a browser's, and nothing else to it", async () => {
    for (const [leaves] of sets.filter((_, index) => [1, 4, 7, 40].includes(index))) {
      const given = leaves.map((leaf) => ({ leaf, ...computeMerkleProof(leaves, leaf, sha256) }));
      for (const { leaf, ...proof } of given) {
        expect(await verifyMerkleProof(leaf, proof, sha256)).toBe(true);
        expect(await verifyMerkleProof(leaf, proof, webSha256)).toBe(true);
        expect(await verifyMerkleProof(hex(randomBytes(32)), proof, sha256)).toBe(false);
        const [first = "", ...rest] = proof.proof;
        const forged = { ...proof, proof: [hex(sha256(Buffer.from(first, "hex"))), ...rest] };
        expect(await verifyMerkleProof(leaf, forged, sha256)).toBe(false);
        expect(await verifyMerkleProof(leaf, { ...proof, proof: rest }, sha256)).toBe(false);
      }
    }
  });

  it("[AUDIT-9] of what is no hash verifies nothing", async () => {
    const [leaf = ""] = hashes;
    expect(await verifyMerkleProof(leaf, { root: leaf, proof: [] }, sha256)).toBe(true);
    expect(await verifyMerkleProof("", { root: "", proof: [] }, sha256)).toBe(false);
    expect(await verifyMerkleProof(leaf, { root: leaf, proof: ["xy"] }, sha256)).toBe(false);
    expect(await verifyMerkleProof(leaf.toUpperCase(), { root: leaf.toUpperCase(), proof: [] }, sha256)).toBe(
      false,
    );
  });

  it("[AUDIT-9] there is none for what is no leaf, nor a root over nothing", () => {
    expect(() => computeMerkleProof(hashes, firstPrevHash, sha256)).toThrow(RangeError);
    expect(() => computeMerkleRoot([], sha256)).toThrow(RangeError);
  });
});
