import { purgeApprovals } from "@merkle/db";
import type { Feature } from "../../feature.js";
import { answerApproval, listApprovals } from "./answer-approval.js";
import { askApproval, waitForApproval, withdrawApproval } from "./ask-approval.js";
import { waitingApprovals } from "./attention.js";

/** How long a person finds the question behind a hash in the record. */
const endedApprovalDays = 90;

/** Permissions that agents ask their people for. */
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
