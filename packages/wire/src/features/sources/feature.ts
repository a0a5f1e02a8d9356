/** Files of folders that the broker shows. */
export { rules } from "./rules.js";
