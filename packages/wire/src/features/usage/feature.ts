/** Tokens and costs reported by agents. */

export type { ModelUsage, UsageRow } from "./operations.js";
export { rules } from "./rules.js";
