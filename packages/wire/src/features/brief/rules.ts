import { assignToolset, reading } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  brief: { ...reading, access: "reader", route: "GET /api/brief", dependsOnCaller: true },
});
