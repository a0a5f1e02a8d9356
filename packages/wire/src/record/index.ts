/**
 * The format of a session's record and its verification, shared by all code that writes, reads or verifies
 * records.
 */
export { canonicalJson } from "../core/canonical-json.js";
export { fromHex, sameBytes, toHex } from "../core/hex.js";
export type { Sha256 } from "../core/merkle-tree.js";
export { ShapeError } from "../core/shape.js";
export { type RecordedFields, recordedFieldNames, toMessageHead } from "../feed/message-fields.js";
export { kindName } from "../feed/message-kind.js";
export { redactedContent } from "../feed/redaction.js";
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
} from "../identity/head.js";
export { shortHash } from "../text/seal-text.js";
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
  type StateLine,
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
export type { Finding, FindingCode, RecordReport, Trust, VerifiedRow } from "./report.js";
export { firstPrevHash, type HashedThought, thoughtText } from "./thought-hash.js";
export { type Progress, type Trusted, type VerifyOptions, verifyBundle } from "./verify-bundle.js";
export { checkKeys, trustIn } from "./verify-keys.js";
export { verifySignatureHere } from "./verify-signature.js";
