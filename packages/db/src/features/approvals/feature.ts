export * from "./approvals.js";
export * from "./attention.js";
