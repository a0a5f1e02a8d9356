/** Search across everything in a mesh. */
export { type SearchKind, searchKinds } from "./kinds.js";
export type { SearchHit } from "./operations.js";
export { rules } from "./rules.js";
