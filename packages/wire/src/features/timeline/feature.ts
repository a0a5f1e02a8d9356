/** The timeline shows the history of a session. */
export type { TimelineMark } from "./operations.js";
export { rules } from "./rules.js";
