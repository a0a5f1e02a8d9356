/**
 * The contract: rules, types, codes and forms. It needs no schema and no package, so that a program which asks for operations
 * and believes the broker's answers starts without the library that the schemas are made with.
 */
export {
  type MerkleProof,
  merkleProof,
  merkleRoot,
  type Sha256,
  verifyMerkleProof,
} from "./audit/merkle-tree.js";
export type { Catalogue, InputOf, OutputOf, ParsedInputOf } from "./catalogue.js";
export { type CloseReason, closeCodes, mayReconnect } from "./close-codes.js";
export { compactMessage, describeRedaction } from "./compact.js";
export { compactError } from "./compact-error.js";
export { findTeamCredentials, parseTeamCredential } from "./credential.js";
export { errorMeanings } from "./error-meanings.js";
export { type ErrorBody, type ErrorCode, type ErrorDetails, errorCodes, MerkleError } from "./errors.js";
export { type EventKind, eventKinds, eventNames, findEventKind } from "./events.js";
export type { FrameRule } from "./frame-rules.js";
export type {
  BrokerFrame,
  ChangedKind,
  ClientFrame,
  MeshChangedFrame,
  MeshChangedKind,
  NudgeFrame,
  RequestId,
  StateChangeFrame,
  Subscribed,
  SubscriptionKind,
} from "./frames.js";
export type {
  Admitted,
  HelloProof,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export type { KeyCard } from "./identity/key-card.js";
export { isSealed, sealedBytes } from "./identity/sealed-form.js";
export { findInviteSecrets, type InviteWords, parseInvite, writeInviteCode } from "./invite-text.js";
export type { DescribedSchema, JsonSchema } from "./json-schema.js";
export type { Message, Redaction, SystemEvent } from "./message.js";
export {
  type MessageFieldName,
  type MessageFields,
  messageFieldNames,
  messageFields,
  type RecordedFields,
  recordedFieldNames,
  toMessageHead,
  toRecordedFields,
} from "./message-fields.js";
export { type MessageKey, messageIdFrom, uuidFromDigest } from "./message-id.js";
export { kindOf } from "./message-kind.js";
export {
  type AccessRule,
  commonErrors,
  isSessionOperation,
  isStreamable,
  type Operation,
  type Rendering,
} from "./operation.js";
export type { Access, HttpMethod, OperationRules, Toolset } from "./operation-rules.js";
export type { AttentionItem } from "./operations/attention.js";
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./operations/audit.js";
export type { Claim } from "./operations/claims.js";
export type { Imported } from "./operations/files.js";
export type { Invite, Member, MemberRole, Mesh, Token } from "./operations/identity.js";
export type { Memory } from "./operations/memory.js";
export type { RecipientState } from "./operations/messaging.js";
export type { Capabilities, DeclaredStatus, Peer, WakePath } from "./operations/peers.js";
export type { Persona } from "./operations/personas.js";
export type { Perspective } from "./operations/perspectives.js";
export type { ListedProgressEntry, ProgressEntry } from "./operations/progress.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations/proposals.js";
export type { Participant } from "./operations/roster.js";
export { fillPath, type OperationName, operationRules, routeOf, rulesOf } from "./operations/rules.js";
export type { RunnerFacts } from "./operations/runner.js";
export type { PresentTeam, Session } from "./operations/sessions.js";
export type { BrokerSettings, SessionSettings } from "./operations/settings.js";
export type { StateEntry } from "./operations/state.js";
export type {
  Found,
  Place,
  Topic,
  TopicMessage,
  TopicStatus,
} from "./operations/topics.js";
export type { Job, JobStatus } from "./operations/work.js";
export { type Instant, parseInstant } from "./parse-instant.js";
export { withProgress } from "./progress.js";
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
export { parseSourcePath, rootNamePattern, type SourcePathParts } from "./source-path.js";
export type { ListedTool } from "./tool.js";
export { isUuid } from "./uuid.js";
export type { JobKind, TopicCloseReason } from "./values.js";
