import type { Feature } from "../../feature.js";
import { auditSessionStart, listAuditSessions } from "./audit-sessions.js";
import { auditVerifyChain } from "./audit-verify-chain.js";
import { merkleFinalize, merkleProofOf, merkleRootOf } from "./merkle-tree.js";
import { thoughtRecord, thoughtRecordList } from "./thoughts.js";

/** Records thoughts in hash chains, and finalises audit sessions with a Merkle root. */
export const auditFeature = {
  name: "audit",
  needs: [],
  handlers: {
    audit_session_start: auditSessionStart,
    thought_record: thoughtRecord,
    list_audit_sessions: listAuditSessions,
    thought_record_list: thoughtRecordList,
    audit_verify_chain: auditVerifyChain,
    merkle_finalize: merkleFinalize,
    merkle_root: merkleRootOf,
    merkle_proof: merkleProofOf,
  },
} satisfies Feature;
