/** What a mesh remembers beyond a session. */
export type { Memory } from "./operations.js";
export { rules } from "./rules.js";
