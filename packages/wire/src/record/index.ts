export type { Sha256 } from "../audit/merkle-tree.js";
export {
  contentHash,
  type DocumentEntry,
  documentEntry,
  entryLeaf,
  type FeedEntry,
  feedEntry,
  type RecordedVersion,
  redactedContent,
} from "./entry.js";
export {
  type AuditKey,
  auditKeyId,
  type Head,
  headBytes,
  holds,
  isSignedBy,
  type SignedHead,
  successionBytes,
  type VerifySignature,
} from "./head.js";
export { fromHex, sameBytes, toHex } from "./hex.js";
export {
  consistencyPath,
  type GrowingTree,
  growTree,
  inclusionPath,
  leafHash,
  nodeHash,
  type ReadSubtrees,
  rootOfLog,
  type Subtree,
  verifyConsistency,
  verifyInclusion,
} from "./log-tree.js";
