/** A checkout is where an agent works: a repository, a branch, a worktree, and how much has changed there. */

export type { Checkout, ReportedCheckout } from "./operations.js";
export { rules } from "./rules.js";
