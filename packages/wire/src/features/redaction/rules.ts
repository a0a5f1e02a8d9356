import { assignToolset, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("audit", {
  redact_message: { ...writing, access: "reader", route: "POST /api/sessions/:session_id/redact" },
});
