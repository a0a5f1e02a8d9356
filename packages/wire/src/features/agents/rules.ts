import { assignToolset, reading } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  list_agents: { ...reading, access: "reader", route: "GET /api/agents" },
});
