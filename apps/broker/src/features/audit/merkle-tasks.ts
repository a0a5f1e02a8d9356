import { type MerkleProof, merkleProof, merkleRoot } from "@merkle/wire";
import { sha256 } from "../../core/sha256.js";
import type { Task } from "../../core/workers/task.js";

/**
 * Number of leaves up to which a tree counts as small. Hashing this many takes a few milliseconds.
 */
const smallLeavesMax = 500;

export const merkleRootTask: Task<{ leaves: readonly string[] }, string> = {
  name: "merkle_root",
  run: ({ leaves }) => merkleRoot(leaves, sha256),
  isSmall: ({ leaves }) => leaves.length <= smallLeavesMax,
};

export const merkleProofTask: Task<{ leaves: readonly string[]; leaf: string }, MerkleProof> = {
  name: "merkle_proof",
  run: ({ leaves, leaf }) => merkleProof(leaves, leaf, sha256),
  isSmall: ({ leaves }) => leaves.length <= smallLeavesMax,
};
