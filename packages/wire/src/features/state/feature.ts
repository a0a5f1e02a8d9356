/** State consists of shared keys with versioned values. */
export { events, type StateEvent } from "./events.js";
export type { StateEntry, StateScope } from "./operations.js";
export { rules } from "./rules.js";
