/** Approvals are permission requests from an agent to the person who runs it. */
export { type ApprovalEvent, events } from "./events.js";
export type { Approval, ApprovalState } from "./operations.js";
export { rules } from "./rules.js";
