/** Redactions remove text from a session's record. */
export { events, type RedactionEvent } from "./events.js";
export { rules } from "./rules.js";
