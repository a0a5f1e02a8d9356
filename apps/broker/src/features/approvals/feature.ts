import { purgeApprovals } from "@merkle/db";
import type { Feature } from "../../feature.js";
import { answerApproval, listApprovals } from "./answer-approval.js";
import { askApproval, waitForApproval, withdrawApproval } from "./ask-approval.js";
import { waitingApprovals } from "./attention.js";

/** How long an ended approval is kept. The session's record contains only a hash of its request. */
const endedApprovalDays = 90;

/** Lets agents ask their own people for permission. */
export const approvalsFeature = {
  name: "approvals",
  needs: [],
  handlers: {
    ask_approval: askApproval,
    wait_for_approval: waitForApproval,
    withdraw_approval: withdrawApproval,
    list_approvals: listApprovals,
    answer_approval: answerApproval,
  },
  attention: waitingApprovals,
  purge: { approvals: (db) => purgeApprovals(db, endedApprovalDays) },
} satisfies Feature;
