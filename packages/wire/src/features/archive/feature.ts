/** Moving a concluded session to other storage and back. */
export { rules } from "./rules.js";
