export {
  answerHello,
  dialledOrigin,
  type GreetingBroker,
  type HelloSigner,
  helloBytes,
} from "./answer-hello.js";
export { type ApprovalSubject, approvalHash, deviceOf } from "./approval.js";
export { fromBase64url, toBase64url } from "./base64url.js";
export { type BrokerStatement, brokerBytes } from "./broker-statement.js";
export { drawnCredential, newPersonHeader } from "./drawn-person.js";
export { type JoinProof, type JoinStatement, joinBytes, proveJoin } from "./join-statement.js";
export { type BoxKey, boxKeyBytes, boxKeyFrom, makeKeyCard } from "./make-key-card.js";
export {
  parseSealed,
  type Sealed,
  type SealedEnd,
  type SealedHeader,
  type SealedText,
  seal,
  unseal,
} from "./seal.js";
export {
  type CertifiedKey,
  certificateBytes,
  certificateMsMax,
  certifySessionKey,
} from "./session-certificate.js";
export { signedBytes } from "./signed-bytes.js";
export { drawSeed, type SigningKey, signingKeyFrom } from "./signing-key.js";
