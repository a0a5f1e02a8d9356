/** Tokens and costs that agents report. */
export const needs = ["tasks"];

export type { ModelUsage, UsageRow } from "./operations.js";
export { rules } from "./rules.js";
