/** A session at any moment. */
export { rules } from "./rules.js";
