/** OAuth, for clients that act as a team. */
export { rules } from "./rules.js";
