import { assignToolset, reading } from "../../operations/operation-rules.js";

export const rules = assignToolset("work", {
  list_sources: { ...reading, access: "reader", route: "GET /api/sources" },
  read_source: {
    ...reading,
    access: "reader",
    route: "GET /api/sources/text",
    forJobs: ["incorporate", "perspective"],
  },
});
