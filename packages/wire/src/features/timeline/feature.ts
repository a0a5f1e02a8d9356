/** The history of a session. */
export { rules } from "./rules.js";
