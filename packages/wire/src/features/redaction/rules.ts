import { inToolset, writing } from "../../operations/operation-rules.js";

export const rules = inToolset("audit", {
  redact_message: { ...writing, access: "reader", route: "POST /api/sessions/:session_id/redact" },
});
