/** The demo session that shows how Merkle is used. */
export { rules } from "./rules.js";
