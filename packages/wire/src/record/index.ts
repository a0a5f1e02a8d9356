/**
 * The format of a session's record and its verification, shared by all code that writes, reads or verifies
 * records.
 */
export { fromBase64, toBase64 } from "../core/base64.js";
export { toCanonicalJson } from "../core/canonical-json.js";
export { fromHex, sameBytes, toHex } from "../core/hex.js";
export type { Sha256 } from "../core/merkle-tree.js";
export { ShapeError } from "../core/shape.js";
export { type RecordedFields, recordedFieldNames, toMessageHead } from "../feed/message-fields.js";
export { toKindField } from "../feed/message-kind.js";
export { toRedactedContent } from "../feed/redaction.js";
export {
  type AuditKey,
  encodeHead,
  encodeSuccession,
  type Head,
  type HeadAbout,
  isSignedBy,
  isValidSignature,
  type SignedHead,
  toAuditKeyId,
  type VerifySignature,
} from "../identity/head.js";
export { shortenHash } from "../text/seal-text.js";
export {
  bundleFileNames,
  bundleFiles,
  bundleLimits,
  type DocumentLine,
  encodeManifest,
  type FeedLine,
  findAttachmentDigest,
  hashSession,
  type Manifest,
  parseDocumentLine,
  parseFeedLine,
  parseHead,
  parseHeadLine,
  parseKeys,
  parseManifest,
  type SessionInfo,
  type StateLine,
  stateFileOfFormat1,
  toAttachmentName,
  writeJsonLine,
} from "./bundle.js";
export {
  findOriginMesh,
  formatCheckpoint,
  isSignedByLog,
  type LogCheckpoint,
  parseCheckpoint,
  type SignedCheckpoint,
  toLogKey,
  toLogOrigin,
} from "./checkpoint.js";
export { encodeCosignature, findCosignedAt, joinCosignature } from "./cosignature.js";
export {
  createDocumentEntry,
  createFeedEntry,
  type DocumentEntry,
  type FeedEntry,
  hashContent,
  hashEntry,
  type RecordedVersion,
} from "./entry.js";
export {
  checkFork,
  type ForkEvidence,
  type ForkReport,
  type ForkStatement,
  formatFork,
  type HeadRelation,
  parseFork,
  relateHeads,
} from "./fork.js";
export {
  type CheckpointComparison,
  compareCheckpoint,
  findSigner,
  joinKeys,
  type SeenCheckpoint,
  type ShownCheckpoint,
} from "./later-checkpoint.js";
export {
  type Consistency,
  checkLaterHead,
  type HeadComparison,
  type LaterHead,
  type SeenHead,
} from "./later-head.js";
export { formatLogEntry, type LogEntry, parseLogEntry } from "./log-entry.js";
export { formatLogProof, isInLog, type LogProof, parseLogProof } from "./log-proof.js";
export {
  computeConsistencyPath,
  computeConsistentRoot,
  computeInclusionPath,
  computeLogRoot,
  type GrowingTree,
  growTree,
  hashLeaf,
  hashNode,
  type ReadSubtrees,
  type Subtree,
  splitIntoSubtrees,
  verifyConsistency,
  verifyInclusion,
} from "./log-tree.js";
export type { BundleSource, GrowingHash } from "./read-bundle.js";
export { readLines, readWhole } from "./read-lines.js";
export type { Finding, FindingCode, RecordReport, Trust, VerifiedRow } from "./report.js";
export {
  formatSignatureLine,
  formatVerifierKey,
  isNoteName,
  joinBytes,
  type NoteCrypto,
  type NoteKey,
  type NoteKeyType,
  type NoteSignature,
  noteKeyTypes,
  noteLimits,
  parseSignedNote,
  parseVerifierKey,
  type SignedNote,
  toNoteKeyId,
} from "./signed-note.js";
export { firstPrevHash, type HashedThought, serialiseThought } from "./thought-hash.js";
export {
  describeVerdict,
  type RecordVerdict,
  type VerdictFacts,
  type WitnessVerdict,
} from "./verdict.js";
export {
  type TrustAnchors,
  type VerificationProgress,
  type VerifyOptions,
  verifyBundle,
} from "./verify-bundle.js";
export { checkKeys, determineTrust } from "./verify-keys.js";
export { verifySignatureHere } from "./verify-signature.js";
export {
  type CosignedCheck,
  checkCosigned,
  cosignatureAheadMax,
  countLiesWithstood,
  formatPolicy,
  type MeshPolicy,
  parsePolicy,
  type WitnessedBy,
  type WitnessGroup,
  type WitnessPolicy,
} from "./witness-policy.js";
export { checkHeadWitnessed, type WitnessedHeadCheck } from "./witnessed-head.js";
