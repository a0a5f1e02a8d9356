import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  report_checkout: { ...writing, access: "team", route: "POST /api/sessions/:session_id/checkout" },
  list_checkouts: { ...reading, access: "reader", route: "GET /api/checkouts" },
});
