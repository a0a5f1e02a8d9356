import { assignToolset, creating, jobKinds, reading, writing } from "../../operations/operation-rules.js";

export const rules = {
  ...assignToolset("work", {
    start_job: { ...creating, stores: "input", access: "team", route: "POST /api/agent/jobs" },
    get_job: { ...reading, access: "reader", route: "GET /api/agent/jobs/:job_id", forJobs: jobKinds },
    list_jobs: { ...reading, access: "reader", route: "GET /api/agent/jobs" },
    cancel_job: { ...writing, access: "team", route: "POST /api/agent/jobs/:job_id/cancel" },
    claim_job: {
      ...writing,
      kind: "wait",
      rate: "wait",
      access: "member",
      route: "POST /api/agent/claims",
      withoutCredential: true,
    },
    renew_job: {
      ...writing,
      access: "member",
      route: "POST /api/agent/jobs/:job_id/renew",
      withoutCredential: true,
    },
    end_job: {
      ...writing,
      access: "member",
      route: "POST /api/agent/jobs/:job_id/end",
      withoutCredential: true,
    },
  }),
  ...assignToolset("admin", {
    get_runner: { ...reading, access: "reader", route: "GET /api/agent/runner", withoutCredential: true },
  }),
};
