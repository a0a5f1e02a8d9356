/** Downloading a session as a file. */
export { rules } from "./rules.js";
