/** What checks, renders and describes the operations and frames of the contract. */
export { catalogue, findOperation, operations } from "./catalogue.js";
export { frameRules } from "./frame-rules.js";
export { ClientFrame, protocolVersion } from "./frames.js";
export {
  Bytes32,
  Bytes64,
  HelloProof,
  HelloStatement,
  SessionCertificate,
  SignatureProof,
} from "./identity/hello-proof.js";
export { KeyCard } from "./identity/key-card.js";
export { describeIssue, type InputProblem, inputRefused, usefulFields } from "./input-problems.js";
export { describeSchema } from "./json-schema.js";
export { Message, Redaction } from "./message.js";
export { exportSession, importBundle } from "./operations/files.js";
export { Capabilities } from "./operations/peers.js";
export { brokerSettingsDefault, sessionSettingsDefault } from "./operations/settings.js";
export { toTool } from "./tool.js";
export { Timestamp, Uuid } from "./values.js";
