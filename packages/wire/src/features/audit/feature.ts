/** Recorded thoughts and the Merkle trees over them. */
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./operations.js";
export { rules } from "./rules.js";
