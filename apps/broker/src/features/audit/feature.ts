import type { Feature } from "../../feature.js";
import { listAuditSessions, startAuditSession } from "./audit-sessions.js";
import { verifyAuditChain } from "./audit-verify-chain.js";
import { finalizeMerkleRoot, getMerkleProof, getMerkleRoot } from "./merkle-tree.js";
import { listThoughtRecords, recordThought } from "./thoughts.js";

/** Records thoughts in hash chains, and finalises audit sessions with a Merkle root. */
export const auditFeature = {
  name: "audit",
  needs: [],
  handlers: {
    audit_session_start: startAuditSession,
    thought_record: recordThought,
    list_audit_sessions: listAuditSessions,
    thought_record_list: listThoughtRecords,
    audit_verify_chain: verifyAuditChain,
    merkle_finalize: finalizeMerkleRoot,
    merkle_root: getMerkleRoot,
    merkle_proof: getMerkleProof,
  },
} satisfies Feature;
