/** The demo room. */
export { rules } from "./rules.js";
