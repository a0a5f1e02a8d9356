/** Briefs summarise the recent events in a session in a few lines. */
export { briefKinds, formatBriefLine } from "./brief-line.js";
export type { BriefLine, SessionBrief } from "./operations.js";
export { rules } from "./rules.js";
