/** The personas that jobs are done as. */
export type { Persona } from "./operations.js";
export { rules } from "./rules.js";
