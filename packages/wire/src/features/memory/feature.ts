/** Knowledge of a mesh that outlasts a session. */
export type { Memory } from "./operations.js";
export { rules } from "./rules.js";
