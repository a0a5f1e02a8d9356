/** Attachments are files that messages carry. */

export type { SessionFile } from "./operations.js";
export { rules } from "./rules.js";
