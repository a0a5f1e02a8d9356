import { inToolset, reading, readingWhatStays } from "../../operations/operation-rules.js";

export const rules = inToolset("audit", {
  session_seal: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/seal" },
  session_proof: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/proof" },
});
