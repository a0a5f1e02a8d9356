/** Progress is a log of the work done in projects. */
export type { ListedProgressEntry, ProgressEntry } from "./operations.js";
export { rules } from "./rules.js";
