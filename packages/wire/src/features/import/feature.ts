/** Importing a session from its bundle. */
export type { Imported } from "./operations.js";
export { rules } from "./rules.js";
