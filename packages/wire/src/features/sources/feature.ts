/** Files in folders that the broker serves. */
export { rules } from "./rules.js";
