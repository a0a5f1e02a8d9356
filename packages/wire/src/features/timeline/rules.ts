import { assignToolset, reading } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  get_timeline: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/timeline" },
});
