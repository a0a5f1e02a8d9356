import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { openTopic } from "./open-topic.js";
import { getTopic, listTopics } from "./read-topics.js";
import { replyToTopic } from "./reply-to-topic.js";
import type { TopicServices } from "./services.js";

export { type Anchorer, startAnchorer } from "./anchorer.js";
export { announceProposals } from "./announce-proposals.js";
export { closeTopic, isClosed } from "./close-topic.js";
export type { TopicServices } from "./services.js";
export { requireTopic, topicAuthorOf } from "./topic.js";

/** Comment threads that are anchored in documents and files. */
export const topicsFeature = {
  name: "topics",
  needs: ["sources"],
  handlers: {
    open_topic: openTopic,
    reply_to_topic: replyToTopic,
    list_topics: listTopics,
    get_topic: getTopic,
  },
  onDocumentWritten: { written: ({ anchorer }, document) => anchorer.schedule(document) },
} satisfies Feature<TopicServices & Services>;
