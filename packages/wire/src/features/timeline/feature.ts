/** The timeline shows the history of a session. */
export { rules } from "./rules.js";
