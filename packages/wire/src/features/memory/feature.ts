/** Memories are knowledge of a mesh that outlasts its sessions. */
export type { Memory } from "./operations.js";
export { rules } from "./rules.js";
