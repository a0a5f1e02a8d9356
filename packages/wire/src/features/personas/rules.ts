import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("work", {
  list_personas: { ...reading, access: "reader", route: "GET /api/personas" },
  get_persona: { ...reading, access: "reader", route: "GET /api/personas/:name", forJobs: ["perspective"] },
  put_persona: {
    ...writing,
    stores: "input",
    access: "team",
    route: "PUT /api/personas/:name",
    human: "power",
  },
});
