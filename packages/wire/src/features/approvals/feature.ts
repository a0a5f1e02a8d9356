/** Permissions that an agent asks its own person for. */
export { type ApprovalEvent, events } from "./events.js";
export type { Approval, ApprovalState } from "./operations.js";
export { rules } from "./rules.js";
