/** Agents' recorded thoughts, and the Merkle trees over these records. */
export type { AuditSession, MerkleRoot, ThoughtRecord } from "./operations.js";
export { rules } from "./rules.js";
