import { assignToolset, reading } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  search: { ...reading, share: "search", access: "reader", route: "GET /api/search" },
});
