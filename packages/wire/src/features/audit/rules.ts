import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("audit", {
  audit_session_start: {
    ...writing,
    stores: "input",
    access: "team",
    route: "POST /api/audit/sessions",
    unnamed: true,
  },
  list_audit_sessions: { ...reading, access: "reader", route: "GET /api/audit/sessions" },
  thought_record: {
    ...writing,
    stores: "input",
    access: "team",
    route: "POST /api/audit/thoughts",
    unnamed: true,
  },
  thought_record_list: {
    ...reading,
    access: "reader",
    route: "GET /api/audit/thoughts",
    dependsOnCaller: true,
  },
  audit_verify_chain: { ...reading, access: "reader", route: "GET /api/audit/chain", dependsOnCaller: true },
  merkle_finalize: { ...writing, access: "team", route: "POST /api/audit/finalize", unnamed: true },
  merkle_root: { ...reading, access: "reader", route: "GET /api/audit/root", dependsOnCaller: true },
  merkle_proof: { ...reading, access: "reader", route: "GET /api/audit/proof", dependsOnCaller: true },
});
