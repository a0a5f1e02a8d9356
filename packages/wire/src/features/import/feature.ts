/** Importing a session from an exported bundle. */
export type { ImportResult } from "./operations.js";
export { rules } from "./rules.js";
