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
  computeMerkleProof,
  computeMerkleRoot,
  type MerkleProof,
  type Sha256,
  verifyMerkleProof,
} from "./core/merkle-tree.js";
export { type InstantRange, parseInstant } from "./core/parse-instant.js";
export { type SourceRef, toSourceHref } from "./core/place-href.js";
export { withProgress } from "./core/progress.js";
export { createRefusedCalls, type RefusedCalls } from "./core/refused-calls.js";
export { toFileHref } from "./core/source-href.js";
export { parseSourcePath, rootNamePattern, type SourcePathParts } from "./core/source-path.js";
export { agentUnreadCountedMax, formatAgentUnread, formatUnread } from "./core/unread-text.js";
export { isUuid } from "./core/uuid.js";
export { eventKinds, eventNames, findEventKind, type SystemEvent, wakes } from "./events.js";
export type { Agent, AgentTalk, AgentWait } from "./features/agents/feature.js";
export type {
  AlertContent,
  AlertTarget,
  AlertTo,
} from "./features/alerts/feature.js";
export type { Approval, ApprovalState } from "./features/approvals/feature.js";
export type { SessionFile } from "./features/attachments/feature.js";
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./features/audit/feature.js";
export { type BriefLine, briefKinds, formatBriefLine, type SessionBrief } from "./features/brief/feature.js";
export type { Checkout, ReportedCheckout } from "./features/checkouts/feature.js";
export { type ExportFormat, exportFormats } from "./features/export/feature.js";
export type { ImportResult } from "./features/import/feature.js";
export type { Claim, Job, JobStatus, JobStopReason, RunnerFacts } from "./features/jobs/feature.js";
export type { Memory } from "./features/memory/feature.js";
export type { Persona } from "./features/personas/feature.js";
export type { Perspective } from "./features/perspectives/feature.js";
export type { ListedProgressEntry, ProgressEntry } from "./features/progress/feature.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./features/proposals/feature.js";
export { type SearchHit, type SearchKind, searchKinds } from "./features/search/feature.js";
export type { StateEntry, StateScope } from "./features/state/feature.js";
export type { ScopeClaim, Task, TaskChange, TaskCheck, TaskState } from "./features/tasks/feature.js";
export type { TimelineMark } from "./features/timeline/feature.js";
export type {
  AnchorMatch,
  AnchorPosition,
  Topic,
  TopicCloseReason,
  TopicMessage,
  TopicStatus,
} from "./features/topics/feature.js";
export type { ModelUsage, UsageRow } from "./features/usage/feature.js";
export { compactMessage, describeEvent, describeRedaction, type Rendering } from "./feed/compact.js";
export type { EventKind, MeshChangedKind } from "./feed/event-kind.js";
export { cutFileName, toFileName } from "./feed/file-name.js";
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
export { formatMessageFile, listMessageFiles, type MessageFile } from "./feed/message-files.js";
export {
  createIdempotencyKey,
  deriveMessageId,
  deriveUuid,
  type MessageKey,
  toTimeOrderedUuid,
} from "./feed/message-id.js";
export { findMessageKind } from "./feed/message-kind.js";
export { findOwnAuthor, withOwnAuthor } from "./feed/own-author.js";
export {
  findRedactedMessage,
  findRedactedVersions,
  isRedacted,
  type RedactedMessage,
  toRedactionFields,
  type VersionRange,
  withoutText,
} from "./feed/redaction.js";
export { findTeamCredentials, parseTeamCredential } from "./identity/credential.js";
export type {
  HelloProof,
  HelloResult,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export {
  findInviteSecrets,
  formatInviteCode,
  type ParsedInvite,
  parseInvite,
} from "./identity/invite-text.js";
export type { KeyCard } from "./identity/key-card.js";
export type { OwnLaunch, OwnSignature } from "./identity/own-signature.js";
export { countSealedBytes, isSealed } from "./identity/sealed-form.js";
export type { AlertKind, AttentionItem } from "./operations/attention.js";
export { alertReasons, describeItem, formatItemSentence, kindLabels } from "./operations/describe-item.js";
export type { DocumentVersion } from "./operations/document.js";
export { describeGroup, type GroupOptions, groupItems, type ItemGroup } from "./operations/group-items.js";
export type { Invite, Member, MemberRole, Mesh, Quota, QuotaKind, Token } from "./operations/identity.js";
export { isQuestion, listAlertKinds } from "./operations/is-question.js";
export type { DescribedSchema, JsonSchema } from "./operations/json-schema.js";
export { listInvited } from "./operations/list-invited.js";
export type { RecipientState } from "./operations/messaging.js";
export {
  type AccessRule,
  canOmitSession,
  chooseSessions,
  commonErrors,
  isSessionOperation,
  isStreamable,
  type Operation,
} from "./operations/operation.js";
export {
  type Access,
  defaultToolsets,
  type HttpMethod,
  type JobKind,
  jobKinds,
  type OperationRules,
  type Toolset,
} from "./operations/operation-rules.js";
export type {
  Capabilities,
  DeclaredStatus,
  GroupMembership,
  Peer,
  WakePath,
  WakePreference,
} from "./operations/peers.js";
export { describeItemSource, toItemHref } from "./operations/place-of-item.js";
export type { Participant } from "./operations/roster.js";
export type { PresentTeam, Session } from "./operations/sessions.js";
export type { BrokerSettings, SessionSettings } from "./operations/settings.js";
export type { ListedTool } from "./operations/tool.js";
export { withToolWait } from "./operations/tool-wait.js";
export { withoutNullArguments } from "./operations/without-null-arguments.js";
export {
  fillPath,
  getOperationRoute,
  getOperationRules,
  type OperationName,
  operationRules,
} from "./rules.js";
export { compactError } from "./text/compact-error.js";
export { formatSealSummary, shortenHash } from "./text/seal-text.js";
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
  SubscribeReply,
  SubscriptionKind,
} from "./transports/frames.js";
