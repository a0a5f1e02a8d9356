import { inToolset, reading } from "../../operations/operation-rules.js";

export const rules = inToolset("people", {
  list_agents: { ...reading, access: "reader", route: "GET /api/agents" },
});
