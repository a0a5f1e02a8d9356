import { purgeApprovals } from "@merkle/db";
import type { Feature } from "../../feature.js";
import { answerApproval, listApprovals } from "./answer-approval.js";
import { askApproval, waitForApproval, withdrawApproval } from "./ask-approval.js";
import { waitingApprovals } from "./attention.js";

/** How long the request behind a hash in the record can still be looked up. */
const endedApprovalDays = 90;

/** Permissions that agents request from their people. */
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
