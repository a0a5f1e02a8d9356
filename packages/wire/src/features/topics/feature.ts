/** Topics are discussions of a passage in a text. */
export { events, type TopicEvent } from "./events.js";
export type { Found, Place, Topic, TopicCloseReason, TopicMessage, TopicStatus } from "./operations.js";
export { rules } from "./rules.js";
