import { inToolset, reading } from "../../operations/operation-rules.js";

export const rules = inToolset("work", {
  list_sources: { ...reading, access: "reader", route: "GET /api/sources" },
  read_source: {
    ...reading,
    access: "reader",
    route: "GET /api/sources/text",
    forJobs: ["incorporate", "perspective"],
  },
});
