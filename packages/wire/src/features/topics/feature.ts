/** Topics are discussions about a document or file, or about a passage in it. */
export { events, type TopicEvent } from "./events.js";
export type {
  AnchorMatch,
  AnchorPosition,
  Topic,
  TopicCloseReason,
  TopicMessage,
  TopicStatus,
} from "./operations.js";
export { rules } from "./rules.js";
