export {
  answerHello,
  encodeHello,
  type GreetingBroker,
  type HelloSigner,
  toDialledOrigin,
} from "./answer-hello.js";
export {
  type ApprovalSubject,
  hashApproval,
  hashRepeatedCommand,
  type RepeatedCommand,
  toDeviceId,
} from "./approval.js";
export { fromBase64url, toBase64url } from "./base64url.js";
export { type BrokerStatement, encodeBrokerStatement } from "./broker-statement.js";
export { drawSeed } from "./draw-seed.js";
export { derivePersonCredential, newPersonHeader } from "./drawn-person.js";
export type { OwnLaunch, OwnSignature } from "./own-signature.js";
export {
  type DeviceKey,
  encodeOwnWords,
  findOwnWordsProblem,
  type OwnRecipient,
  type OwnWords,
  type OwnWordsProblem,
  type OwnWordsReader,
  ownWordsAheadMsMax,
  ownWordsMsMax,
  signOwnWords,
  toAnswerWords,
  toDeviceKey,
} from "./own-words.js";
export {
  type CertifiedKey,
  certificateMsMax,
  certifySessionKey,
  encodeCertificate,
} from "./session-certificate.js";
export { encodeForSigning } from "./signed-bytes.js";
