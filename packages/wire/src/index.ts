/**
 * The contract without its schemas: rules, types, codes and formats. Programs that call operations and trust
 * the broker's replies can start without loading the schema library.
 */

export type { Catalogue, InputOf, OutputOf, ParsedInputOf } from "./catalogue.js";
export { buildHeader, buildNumber, parseBuild } from "./core/build.js";
export { errorMeanings } from "./core/error-meanings.js";
export { type ErrorBody, type ErrorCode, type ErrorDetails, errorCodes, MerkleError } from "./core/errors.js";
export { isObject } from "./core/is-object.js";
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
export { eventKinds, eventNames, findEventKind, type SystemEvent, wakes } from "./events.js";
export type { Agent, AgentTalk, AgentWait } from "./features/agents/feature.js";
export type {
  AlertContent,
  AlertTarget,
  AlertTo,
} from "./features/alerts/feature.js";
export type { Approval, ApprovalState } from "./features/approvals/feature.js";
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./features/audit/feature.js";
export { type BriefLine, briefKinds, briefLine, type SessionBrief } from "./features/brief/feature.js";
export type { Imported } from "./features/import/feature.js";
export type { Claim, Job, JobStatus, RunnerFacts } from "./features/jobs/feature.js";
export type { Memory } from "./features/memory/feature.js";
export type { Persona } from "./features/personas/feature.js";
export type { Perspective } from "./features/perspectives/feature.js";
export type { ListedProgressEntry, ProgressEntry } from "./features/progress/feature.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./features/proposals/feature.js";
export { type SearchKind, searchKinds } from "./features/search/feature.js";
export type { StateEntry } from "./features/state/feature.js";
export type { ScopeClaim, Task, TaskChange, TaskCheck, TaskState } from "./features/tasks/feature.js";
export type {
  Found,
  Place,
  Topic,
  TopicCloseReason,
  TopicMessage,
  TopicStatus,
} from "./features/topics/feature.js";
export type { ModelUsage, UsageRow } from "./features/usage/feature.js";
export { compactMessage, describeEvent, describeRedaction, type Rendering } from "./feed/compact.js";
export type { EventKind, MeshChangedKind } from "./feed/event-kind.js";
export type { Message, Redaction } from "./feed/message.js";
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
export type { AlertKind, AttentionItem } from "./operations/attention.js";
export { alertReasons, describeItem, kindLabels, sentenceOfItem } from "./operations/describe-item.js";
export type { Invite, Member, MemberRole, Mesh, Quota, QuotaKind, Token } from "./operations/identity.js";
export type { DescribedSchema, JsonSchema } from "./operations/json-schema.js";
export { listInvited } from "./operations/list-invited.js";
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
  type JobKind,
  type OperationRules,
  type Toolset,
} from "./operations/operation-rules.js";
export type { Capabilities, DeclaredStatus, Peer, WakePath } from "./operations/peers.js";
export { nameOfPlace, placeOfItem } from "./operations/place-of-item.js";
export type { Participant } from "./operations/roster.js";
export type { PresentTeam, Session } from "./operations/sessions.js";
export type { BrokerSettings, SessionSettings } from "./operations/settings.js";
export type { ListedTool } from "./operations/tool.js";
export { withToolWait } from "./operations/tool-wait.js";
export { fillPath, type OperationName, operationRules, routeOf, rulesOf } from "./rules.js";
export { compactError } from "./text/compact-error.js";
export { sealText, shortHash } from "./text/seal-text.js";
export { type CloseReason, closeCodes, mayReconnect } from "./transports/close-codes.js";
export type { FrameRule } from "./transports/frame-rules.js";
export type {
  BrokerFrame,
  ChangedKind,
  ClientFrame,
  MeshChangedFrame,
  NudgeFrame,
  RequestId,
  StateChangeFrame,
  Subscribed,
  SubscriptionKind,
} from "./transports/frames.js";
