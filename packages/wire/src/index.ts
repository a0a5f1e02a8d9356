/**
 * The contract: rules, types, codes and forms. It needs no schema and no package, so that a program which asks for operations
 * and believes the broker's answers starts without the library that the schemas are made with.
 */

export { buildHeader, buildNumber, parseBuild } from "./core/build.js";
export { errorMeanings } from "./core/error-meanings.js";
export { type ErrorBody, type ErrorCode, type ErrorDetails, errorCodes, MerkleError } from "./core/errors.js";
export {
  type MerkleProof,
  merkleProof,
  merkleRoot,
  type Sha256,
  verifyMerkleProof,
} from "./core/merkle-tree.js";
export { type Instant, parseInstant } from "./core/parse-instant.js";
export { type Placed, placeHref } from "./core/place-href.js";
export { withProgress } from "./core/progress.js";
export { createRefusedCalls, type RefusedCalls } from "./core/refused-calls.js";
export { sourceHref } from "./core/source-href.js";
export { parseSourcePath, rootNamePattern, type SourcePathParts } from "./core/source-path.js";
export { unreadText } from "./core/unread-text.js";
export { isUuid } from "./core/uuid.js";
export type { TaskChange, TaskCheck, TopicCloseReason } from "./core/values.js";
export { briefKinds, briefLine } from "./feed/brief-line.js";
export { compactMessage, describeEvent, describeRedaction, type Rendering } from "./feed/compact.js";
export type { Message, Redaction, SystemEvent } from "./feed/message.js";
export {
  type MessageFieldName,
  type MessageFields,
  messageFieldNames,
  messageFields,
  noOptionalFields,
  type RecordedFields,
  recordedFieldNames,
  toMessageHead,
  toRecordedFields,
} from "./feed/message-fields.js";
export {
  idempotencyKeyOf,
  type MessageKey,
  messageIdFrom,
  timeOrdered,
  uuidFromDigest,
} from "./feed/message-id.js";
export { kindOf } from "./feed/message-kind.js";
export {
  isRedacted,
  type RedactedMessage,
  redactedBy,
  redactedVersions,
  saidOf,
  withoutText,
} from "./feed/redaction.js";
export { findTeamCredentials, parseTeamCredential } from "./identity/credential.js";
export type {
  Admitted,
  HelloProof,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export { findInviteSecrets, type InviteWords, parseInvite, writeInviteCode } from "./identity/invite-text.js";
export type { KeyCard } from "./identity/key-card.js";
export { isSealed, sealedBytes } from "./identity/sealed-form.js";
export type { Agent, AgentTalk, AgentWait } from "./operations/agents.js";
export type { AlertContent, AlertKind, AlertTarget, AlertTo } from "./operations/alerts.js";
export type { Approval, ApprovalState } from "./operations/approvals.js";
export type { AttentionItem } from "./operations/attention.js";
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./operations/audit.js";
export type { BriefLine, SessionBrief } from "./operations/brief.js";
export type { Catalogue, InputOf, OutputOf, ParsedInputOf } from "./operations/catalogue.js";
export type { Claim } from "./operations/claims.js";
export { alertReasons, describeItem, kindLabels, sentenceOfItem } from "./operations/describe-item.js";
export type { Imported } from "./operations/files.js";
export type { Invite, Member, MemberRole, Mesh, Quota, QuotaKind, Token } from "./operations/identity.js";
export type { DescribedSchema, JsonSchema } from "./operations/json-schema.js";
export { listInvited } from "./operations/list-invited.js";
export type { Memory } from "./operations/memory.js";
export type { RecipientState } from "./operations/messaging.js";
export {
  type AccessRule,
  chooseSessions,
  commonErrors,
  isSessionOperation,
  isStreamable,
  type Operation,
  takesOnlySession,
} from "./operations/operation.js";
export {
  type Access,
  defaultToolsets,
  type HttpMethod,
  type OperationRules,
  type Toolset,
} from "./operations/operation-rules.js";
export type { Capabilities, DeclaredStatus, Peer, WakePath } from "./operations/peers.js";
export type { Persona } from "./operations/personas.js";
export type { Perspective } from "./operations/perspectives.js";
export { nameOfPlace, placeOfItem } from "./operations/place-of-item.js";
export type { ListedProgressEntry, ProgressEntry } from "./operations/progress.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations/proposals.js";
export type { Participant } from "./operations/roster.js";
export { fillPath, type OperationName, operationRules, routeOf, rulesOf } from "./operations/rules.js";
export type { RunnerFacts } from "./operations/runner.js";
export type { ScopeClaim } from "./operations/scopes.js";
export { type SearchKind, searchKinds } from "./operations/search-kinds.js";
export type { PresentTeam, Session } from "./operations/sessions.js";
export type { BrokerSettings, SessionSettings } from "./operations/settings.js";
export type { StateEntry } from "./operations/state.js";
export type { Task, TaskState } from "./operations/tasks.js";
export type { ListedTool } from "./operations/tool.js";
export { withToolWait } from "./operations/tool-wait.js";
export type {
  Found,
  Place,
  Topic,
  TopicMessage,
  TopicStatus,
} from "./operations/topics.js";
export type { ModelUsage, UsageRow } from "./operations/usage.js";
export type { Job, JobKind, JobStatus } from "./operations/work.js";
export { compactError } from "./text/compact-error.js";
export { sealText, shortHash } from "./text/seal-text.js";
export { type CloseReason, closeCodes, mayReconnect } from "./transports/close-codes.js";
export { type EventKind, eventKinds, eventNames, findEventKind, wakes } from "./transports/events.js";
export type { FrameRule } from "./transports/frame-rules.js";
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
} from "./transports/frames.js";
