import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("progress", {
  log_progress: { ...writing, stores: "input", access: "team", route: "POST /api/progress", unnamed: true },
  get_context: { ...reading, access: "reader", route: "GET /api/progress/context" },
  search_logs: { ...reading, share: "search", access: "reader", route: "GET /api/progress" },
  list_progress: { ...reading, access: "reader", route: "GET /api/progress/entries" },
  list_progress_projects: { ...reading, access: "reader", route: "GET /api/progress/projects" },
});
