export type { Sha256 } from "../audit/merkle-tree.js";
export { firstPrevHash, type HashedThought, thoughtText } from "../audit/thought-hash.js";
export { canonicalJson } from "../canonical-json.js";
export { type RecordedFields, recordedFieldNames, toMessageHead } from "../message-fields.js";
export { kindName } from "../message-kind.js";
export { ShapeError } from "../shape.js";
export {
  bundleFileNames,
  bundleFiles,
  bundleLimits,
  type DocumentLine,
  type FeedLine,
  type Manifest,
  manifestBytes,
  parseDocumentLine,
  parseFeedLine,
  parseHead,
  parseHeadLine,
  parseKeys,
  parseManifest,
  type SessionAbout,
  sessionHash,
  stateFileOfFormat1,
  writeJsonLine,
} from "./bundle.js";
export {
  contentHash,
  type DocumentEntry,
  documentEntry,
  entryLeaf,
  type FeedEntry,
  feedEntry,
  type RecordedVersion,
} from "./entry.js";
export {
  type AuditKey,
  auditKeyId,
  type Head,
  type HeadAbout,
  headBytes,
  holds,
  isSignedBy,
  type SignedHead,
  successionBytes,
  type VerifySignature,
} from "./head.js";
export { fromHex, sameBytes, toHex } from "./hex.js";
export {
  type Consistency,
  checkLaterHead,
  type HeadComparison,
  type LaterHead,
  type SeenHead,
} from "./later-head.js";
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
export type { BundleSource, GrowingHash } from "./read-bundle.js";
export { readLines, readWhole } from "./read-lines.js";
export { redactedContent } from "./redacted-content.js";
export type { Finding, FindingCode, RecordReport, Trust, VerifiedRow } from "./report.js";
export { shortHash } from "./short-hash.js";
export { type Progress, type Trusted, type VerifyOptions, verifyBundle } from "./verify-bundle.js";
export { checkKeys, trustIn } from "./verify-keys.js";
export { verifySignatureHere } from "./verify-signature.js";
