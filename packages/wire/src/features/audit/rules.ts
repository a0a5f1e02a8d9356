import { inToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = inToolset("audit", {
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
    asksWhoCalls: true,
  },
  audit_verify_chain: { ...reading, access: "reader", route: "GET /api/audit/chain", asksWhoCalls: true },
  merkle_finalize: { ...writing, access: "team", route: "POST /api/audit/finalize", unnamed: true },
  merkle_root: { ...reading, access: "reader", route: "GET /api/audit/root", asksWhoCalls: true },
  merkle_proof: { ...reading, access: "reader", route: "GET /api/audit/proof", asksWhoCalls: true },
});
