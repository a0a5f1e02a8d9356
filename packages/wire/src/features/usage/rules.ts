import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  report_usage: { ...writing, access: "team", route: "POST /api/sessions/:session_id/usage" },
  get_usage: { ...reading, access: "reader", route: "GET /api/usage" },
});
