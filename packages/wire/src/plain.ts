/**
 * What of the contract needs no schema: codes, limits, the forms of names and of text. A program that asks for operations
 * and believes the broker's answers starts without the library that the schemas are made with.
 */
export {
  type MerkleProof,
  merkleProof,
  merkleRoot,
  type Sha256,
  verifyMerkleProof,
} from "./audit/merkle-tree.js";
export { isClearText } from "./client/clear-text.js";
export { type CloseReason, closeCodes, mayReconnect } from "./close-codes.js";
export {
  compactMessage,
  describeRedaction,
  lines,
  nameInLine,
  neutralise,
  neutralJson,
  peerAddress,
} from "./compact.js";
export { compactError } from "./compact-error.js";
export { findTeamCredentials, parseTeamCredential } from "./credential.js";
export { type ErrorBody, type ErrorCode, type ErrorDetails, errorCodes, MerkleError } from "./errors.js";
export { type EventKind, eventKinds, eventNames, findEventKind } from "./events.js";
export { isSealed, sealedBytes } from "./identity/sealed-form.js";
export { findInviteSecrets, type InviteWords, parseInvite, writeInviteCode } from "./invite-text.js";
export { limits } from "./limits.js";
export { type MessageKey, messageIdFrom, uuidFromDigest } from "./message-id.js";
export type { Access, HttpMethod, OperationRules, Toolset } from "./operation-rules.js";
export { fillPath, type OperationName, operationRules, routeOf, rulesOf } from "./operations/rules.js";
export { type RateLimit, type RateLimitName, type RateLimits, rateLimits } from "./rate-limits.js";
export { sealText } from "./record/seal-text.js";
export { shortHash } from "./record/short-hash.js";
export {
  isRedacted,
  type RedactedMessage,
  redactedBy,
  redactedVersions,
  saidOf,
  withoutText,
} from "./redaction.js";
export { type SearchKind, searchKinds } from "./search-kinds.js";
export { applyHunks } from "./text/apply-hunks.js";
export { deceptionIn, normaliseName } from "./text/names.js";
export { slugFrom } from "./text/slug.js";
export { endOfString, parseStrictJson } from "./text/strict-json.js";
export { isUuid } from "./uuid.js";
