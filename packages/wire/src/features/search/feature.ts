/** Search across a mesh. */
export { type SearchKind, searchKinds } from "./kinds.js";
export { rules } from "./rules.js";
