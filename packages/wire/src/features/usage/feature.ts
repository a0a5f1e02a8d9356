/** Tokens and costs reported by agents. */
export const needs = ["tasks"];

export type { ModelUsage, UsageRow } from "./operations.js";
export { rules } from "./rules.js";
