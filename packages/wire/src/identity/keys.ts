/** Signs and encrypts with keys of this machine. Apart from `identity`, because it loads tweetnacl. */

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
export { deriveSigningKey, type SigningKey } from "./signing-key.js";
