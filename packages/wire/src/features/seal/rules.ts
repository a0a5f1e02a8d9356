import { assignToolset, reading, readingWhileArchived } from "../../operations/operation-rules.js";

export const rules = assignToolset("audit", {
  session_seal: { ...readingWhileArchived, access: "reader", route: "GET /api/sessions/:session_id/seal" },
  session_proof: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/proof" },
});
