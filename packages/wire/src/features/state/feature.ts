/** Shared, versioned keys and values. */
export { events, type StateEvent } from "./events.js";
export type { StateEntry } from "./operations.js";
export { rules } from "./rules.js";
