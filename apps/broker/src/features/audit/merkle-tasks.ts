import { computeMerkleProof, computeMerkleRoot, type MerkleProof } from "@merkle/wire";
import { sha256 } from "../../core/sha256.js";
import type { WorkerTask } from "../../core/workers/task.js";

/**
 * Number of leaves up to which a tree counts as small. Hashing this many takes a few milliseconds.
 */
const inlineLeavesMax = 500;

export const merkleRootTask: WorkerTask<{ leaves: readonly string[] }, string> = {
  name: "merkle_root",
  run: ({ leaves }) => computeMerkleRoot(leaves, sha256),
  isSmall: ({ leaves }) => leaves.length <= inlineLeavesMax,
};

export const merkleProofTask: WorkerTask<{ leaves: readonly string[]; leaf: string }, MerkleProof> = {
  name: "merkle_proof",
  run: ({ leaves, leaf }) => computeMerkleProof(leaves, leaf, sha256),
  isSmall: ({ leaves }) => leaves.length <= inlineLeavesMax,
};
