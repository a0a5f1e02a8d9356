/** Importing a session from an exported bundle. */
export type { Imported } from "./operations.js";
export { rules } from "./rules.js";
