/**
 * The part of the contract that loads zod: schemas, and functions that validate, render and describe
 * operations and frames.
 */

export { catalogue, findOperation, operations } from "./catalogue.js";
export { TaskNumber, Timestamp, Uuid } from "./core/values.js";
export { downloadFile, uploadFile } from "./features/attachments/transfers/operations.js";
export { exportSession } from "./features/export/operations.js";
export { importBundle } from "./features/import/operations.js";
export { ClientMetadata } from "./features/oauth/operations.js";
export { Task, TaskChange } from "./features/tasks/operations.js";
export { getCheckpoint } from "./features/witness/operations.js";
export { Message, Redaction } from "./feed/message.js";
export {
  Bytes32,
  Bytes64,
  HelloProof,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export { KeyCard } from "./identity/key-card.js";
export { OwnDevice, OwnLaunch, OwnSignature } from "./identity/own-signature.js";
export { AttentionKind } from "./operations/attention.js";
export {
  describeIssue,
  type InputProblem,
  inputRefused,
  listUsefulFields,
} from "./operations/input-problems.js";
export { describeSchema } from "./operations/json-schema.js";
export { Capabilities } from "./operations/peers.js";
export { brokerSettingsDefault, sessionSettingsDefault } from "./operations/settings.js";
export { readToolInput } from "./operations/tolerant-input.js";
export { toTool, withOutputSchema } from "./operations/tool.js";
export { type AnswerType, type FrameAlias, findFrameAlias } from "./transports/frame-aliases.js";
export { frameRules } from "./transports/frame-rules.js";
export { ClientFrame, parseUnknownFrame, protocolVersion, type UnknownFrame } from "./transports/frames.js";
