import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("work", {
  insert_proposal: {
    ...writing,
    stores: "input",
    access: "team",
    route: "POST /api/proposals",
    forJobs: ["incorporate", "conclude"],
  },
  list_proposals: { ...reading, access: "reader", route: "GET /api/proposals" },
  get_proposal: {
    ...reading,
    access: "reader",
    route: "GET /api/proposals/:proposal_id",
    forJobs: ["incorporate", "conclude"],
  },
  decide_proposal: {
    ...writing,
    access: "team",
    route: "POST /api/proposals/:proposal_id/decide",
    human: "power",
  },
});
