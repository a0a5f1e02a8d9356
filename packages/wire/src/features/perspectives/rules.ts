import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("work", {
  list_perspectives: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/perspectives" },
  get_perspective: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/perspective" },
  put_perspective: {
    ...writing,
    stores: "input",
    access: "job",
    route: "POST /api/perspectives",
    forJobs: ["perspective"],
    withoutCredential: true,
  },
  list_source_perspectives: { ...reading, access: "reader", route: "GET /api/sources/perspectives" },
  get_source_perspective: { ...reading, access: "reader", route: "GET /api/sources/perspective" },
});
