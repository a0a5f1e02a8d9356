/** Permission requests from an agent to its own person. */
export { type ApprovalEvent, events } from "./events.js";
export type { Approval, ApprovalState } from "./operations.js";
export { rules } from "./rules.js";
