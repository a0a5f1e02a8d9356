import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("audit", {
  get_checkpoint: { ...reading, access: "reader", route: "GET /api/log/checkpoint", notForModels: true },
  get_log_entries: {
    ...reading,
    access: "member",
    route: "GET /api/log/entries",
    withoutCredential: true,
    notForModels: true,
  },
  get_log_proof: { ...reading, access: "reader", route: "GET /api/log/proof", notForModels: true },
  get_head_proof: {
    ...reading,
    access: "reader",
    route: "GET /api/sessions/:session_id/log-proof",
    notForModels: true,
    whileArchived: true,
  },
  add_cosignature: {
    ...writing,
    access: "member",
    route: "POST /api/log/cosignatures",
    withoutCredential: true,
    notForModels: true,
  },
  set_witness_policy: {
    ...writing,
    access: "admin",
    route: "PUT /api/log/policy",
    human: "power",
  },
});
