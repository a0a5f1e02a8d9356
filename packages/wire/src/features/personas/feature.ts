/** Personas define how agents approach their jobs. */
export type { Persona } from "./operations.js";
export { rules } from "./rules.js";
