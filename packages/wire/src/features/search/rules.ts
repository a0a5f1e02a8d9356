import { inToolset, reading } from "../../operations/operation-rules.js";

export const rules = inToolset("people", {
  search: { ...reading, share: "search", access: "reader", route: "GET /api/search" },
});
