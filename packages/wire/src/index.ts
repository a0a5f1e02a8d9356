export { firstPrevHash, type HashedThought, thoughtText } from "./audit/thought-hash.js";
export { canonicalJson } from "./canonical-json.js";
export {
  type Catalogue,
  catalogue,
  findOperation,
  type InputOf,
  type OutputOf,
  operations,
  type ParsedInputOf,
} from "./catalogue.js";
export { errorMeanings } from "./error-meanings.js";
export { type FrameRule, frameRules } from "./frame-rules.js";
export {
  type BrokerFrame,
  type ChangedKind,
  ClientFrame,
  type MeshChangedFrame,
  type MeshChangedKind,
  type NudgeFrame,
  protocolVersion,
  type RequestId,
  type StateChangeFrame,
  type Subscribed,
  type SubscriptionKind,
} from "./frames.js";
export {
  type Admitted,
  Bytes32,
  Bytes64,
  HelloProof,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export { KeyCard } from "./identity/key-card.js";
export { type DescribedSchema, describeSchema, type JsonSchema } from "./json-schema.js";
export { Message, Redaction, type SystemEvent } from "./message.js";
export {
  kindOf,
  type MessageFieldName,
  type MessageFields,
  messageFieldNames,
  messageFields,
  type RecordedFields,
  recordedFieldNames,
  toMessageHead,
  toRecordedFields,
} from "./message-fields.js";
export {
  type AccessRule,
  commonErrors,
  isSessionOperation,
  isStreamable,
  type Operation,
  type Rendering,
} from "./operation.js";
export type { AttentionItem } from "./operations/attention.js";
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./operations/audit.js";
export type { Claim } from "./operations/claims.js";
export { exportSession, type Imported, importBundle } from "./operations/files.js";
export type { Invite, Member, MemberRole, Mesh, Token } from "./operations/identity.js";
export type { Memory } from "./operations/memory.js";
export type { RecipientState } from "./operations/messaging.js";
export { Capabilities, type DeclaredStatus, type Peer, type WakePath } from "./operations/peers.js";
export type { Persona } from "./operations/personas.js";
export type { Perspective } from "./operations/perspectives.js";
export type { ListedProgressEntry, ProgressEntry } from "./operations/progress.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations/proposals.js";
export type { Participant } from "./operations/roster.js";
export type { RunnerFacts } from "./operations/runner.js";
export type { PresentTeam, Session } from "./operations/sessions.js";
export {
  type BrokerSettings,
  brokerSettingsDefault,
  type SessionSettings,
  sessionSettingsDefault,
} from "./operations/settings.js";
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
export * from "./plain.js";
export { parseSourcePath, type SourcePathParts } from "./source-path.js";
export { type ListedTool, toTool } from "./tool.js";
export { isStorable, type JobKind, Timestamp, type TopicCloseReason, Uuid, utf8Bytes } from "./values.js";
