/** The personas with which agents do jobs. */
export type { Persona } from "./operations.js";
export { rules } from "./rules.js";
