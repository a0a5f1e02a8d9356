/** Removing a text from the record. */
export { events, type RedactionEvent } from "./events.js";
export { rules } from "./rules.js";
