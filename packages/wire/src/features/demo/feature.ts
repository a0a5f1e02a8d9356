/** The demo session. */
export { rules } from "./rules.js";
