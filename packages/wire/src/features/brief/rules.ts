import { inToolset, reading } from "../../operations/operation-rules.js";

export const rules = inToolset("people", {
  brief: { ...reading, access: "reader", route: "GET /api/brief", asksWhoCalls: true },
});
