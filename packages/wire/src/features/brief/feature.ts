/** Briefs summarise the recent events in a session in a few lines. */
export { briefKinds, briefLine } from "./brief-line.js";
export type { BriefLine, SessionBrief } from "./operations.js";
export { rules } from "./rules.js";
