export { answerHello, type GreetingBroker, type HelloSigner, helloBytes } from "./answer-hello.js";
export { fromBase64url, toBase64url } from "./base64url.js";
export { type JoinProof, type JoinStatement, joinBytes, proveJoin } from "./join-statement.js";
export {
  type CertifiedKey,
  certificateBytes,
  certificateMsMax,
  certifySessionKey,
} from "./session-certificate.js";
export { signedBytes } from "./signed-bytes.js";
export { drawSeed, type SigningKey, signingKeyFrom } from "./signing-key.js";
