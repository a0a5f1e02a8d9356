import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("mesh", {
  remember: { ...writing, stores: "input", access: "team", route: "POST /api/memories" },
  recall: { ...reading, share: "search", access: "reader", route: "GET /api/memories/recall" },
  forget: { ...writing, access: "team", route: "POST /api/memories/forget" },
  restore_memory: { ...writing, access: "team", route: "POST /api/memories/restore" },
  list_memory: { ...reading, access: "reader", route: "GET /api/memories" },
  tag_memory: { ...writing, stores: "input", access: "team", route: "POST /api/memories/tag" },
});
