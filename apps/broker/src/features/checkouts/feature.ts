import type { Feature } from "../../feature.js";
import { listCheckouts } from "./list-checkouts.js";
import { reportCheckout } from "./report-checkout.js";

/** Records where agents work: repository, branch, worktree and how much changed. */
export const checkoutsFeature = {
  name: "checkouts",
  needs: [],
  handlers: {
    report_checkout: reportCheckout,
    list_checkouts: listCheckouts,
  },
} satisfies Feature;
