import { assignToolset, reading, writing, writingWhileOpen } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  ask_approval: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/sessions/:session_id/approvals",
    notForModels: true,
  },
  wait_for_approval: {
    ...reading,
    kind: "wait",
    rate: "wait",
    access: "team",
    route: "POST /api/sessions/:session_id/approvals/:approval/wait",
    notForModels: true,
  },
  withdraw_approval: {
    ...writing,
    access: "team",
    route: "POST /api/sessions/:session_id/approvals/:approval/withdraw",
    notForModels: true,
  },
  list_approvals: { ...reading, access: "team", route: "GET /api/approvals", human: "power" },
  answer_approval: {
    ...writing,
    access: "team",
    route: "POST /api/approvals/:approval/answer",
    human: "power",
  },
});
