/** Usage is the number of tokens and the cost that agents report. */

export type { ModelUsage, UsageRow } from "./operations.js";
export { rules } from "./rules.js";
