export {
  answerHello,
  encodeHello,
  type GreetingBroker,
  type HelloSigner,
  toDialledOrigin,
} from "./answer-hello.js";
export { type ApprovalSubject, hashApproval, toDeviceId } from "./approval.js";
export { fromBase64url, toBase64url } from "./base64url.js";
export { type BrokerStatement, encodeBrokerStatement } from "./broker-statement.js";
export { derivePersonCredential, newPersonHeader } from "./drawn-person.js";
export { encodeJoin, type JoinProof, type JoinStatement, proveJoin } from "./join-statement.js";
export { type BoxKey, deriveBoxKey, encodeBoxKey, makeKeyCard } from "./make-key-card.js";
export {
  parseSealed,
  type SealedBox,
  type SealedHeader,
  type SealedParty,
  type SealedText,
  seal,
  unseal,
} from "./seal.js";
export {
  type CertifiedKey,
  certificateMsMax,
  certifySessionKey,
  encodeCertificate,
} from "./session-certificate.js";
export { encodeForSigning } from "./signed-bytes.js";
export { deriveSigningKey, drawSeed, type SigningKey } from "./signing-key.js";
