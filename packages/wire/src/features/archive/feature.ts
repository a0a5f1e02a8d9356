/** Moving a concluded session to archive storage and back. */
export { rules } from "./rules.js";
